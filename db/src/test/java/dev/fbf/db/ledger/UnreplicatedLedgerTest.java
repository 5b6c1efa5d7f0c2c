package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.TransactionOutcome;
import dev.fbf.db.UnreplicatedCommitContract;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.TestClaims;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UnreplicatedLedgerTest extends UnreplicatedCommitContract {

    private static final UUID OPERATION = UUID.randomUUID();

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    @Test
    void anOperationInTheLedgerCountsAsAppliedOnceTheStandbyHasIt() throws Exception {
        LedgerTable ledger = new LedgerTable(FbfDatabase.TABLES);
        try (Connection tx = database.begin()) {
            ledger.insert(tx, OPERATION, null, LONG);
            tx.commit();
        }
        assertThat(ledger.contains(database.connect(), OPERATION)).isFalse();

        TransactionOutcome outcome = untilTheStandbyIsBack(connection -> ledger.settle(connection, OPERATION));

        assertThat(outcome).isEqualTo(TransactionOutcome.COMMITTED);
        assertThat(ledger.contains(database.connect(), OPERATION)).isTrue();
    }

    /** As the driver does when a statement's time is over. */
    @Test
    void aGroupWhoseStatementIsCanceledWhileItWaitsForTheStandbyIsInDoubt() throws Exception {
        CounterTable counters = FbfDatabase.COUNTERS;
        LedgerGroup applier = new LedgerGroup(counters, LEDGER);
        GroupedIncrement increment = claims.increment("home", 1);
        Connection connection = database.connect();
        execute(connection, "SET synchronous_commit = on");

        Future<?> applied = other.submit(() -> {
            applier.commit(connection, List.of(increment), LONG, false);
            return null;
        });
        awaitAWaiter(applied);
        execute(database.connect(), "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        applied.get();

        assertThat(increment.value()).isNull();
        assertThat(increment.refusal()).isEqualTo(Refusal.IN_DOUBT);
        assertThat(query(database.connect(), "SELECT value FROM fbf_counter")).isEqualTo("1");
    }
}
