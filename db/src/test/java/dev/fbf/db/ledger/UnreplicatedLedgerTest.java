package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.UnreplicatedCommitContract;
import dev.fbf.db.dialect.CounterTable;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.TestClaims;
import dev.fbf.db.ledger.TestLedger.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class UnreplicatedLedgerTest extends UnreplicatedCommitContract {

    private static final OperationId OPERATION = OperationId.of("scope", "", "key");

    private final TestClaims claims = new TestClaims();

    private static void apply() throws SQLException {
        try (Connection tx = database.begin()) {
            TestLedger.enter(tx, OPERATION.toUuid());
            tx.commit();
        }
    }

    /** Asks on a connection whose COMMIT waits for the standby. */
    private static Connection patient() throws SQLException {
        Connection connection = database.connect();
        execute(connection, "SET synchronous_commit = on");
        return connection;
    }

    @Test
    void anOperationInTheLedgerCountsAsAppliedOnceTheStandbyHasIt() throws Exception {
        apply();
        try (Store store = Store.of(UnreplicatedLedgerTest::patient, false, 0)) {
            Future<Ledger.Found> told = other.submit(() -> store.store().find(OPERATION, null));

            awaitAWaiter(told);
            releaseWaiters();

            assertThat(told.get()).isNotNull();
        }
    }

    /** The proof covers each backend that began before it, and no other. */
    @Test
    void aReplacedConnectionWaitsForTheStandbyAgain() throws Exception {
        apply();
        Connection first = patient();
        Connection second = patient();
        Iterator<Connection> connections = List.of(first, patient(), second).iterator();
        try (Store store = Store.of(
                () -> connections.hasNext() ? StrangeConnections.pooled(connections.next()) : patient(), false, 0)) {
            Future<Ledger.Found> told = other.submit(() -> store.store().find(OPERATION, null));
            awaitAWaiter(told);
            releaseWaiters();
            assertThat(told.get()).isNotNull();
            assertThat(store.store().find(OPERATION, null))
                    .as("on the second connection")
                    .isNotNull();

            Future<Ledger.Found> again = other.submit(() -> store.store().find(OPERATION, null));

            awaitAWaiter(again);
            releaseWaiters();
            assertThat(again.get()).isNotNull();
        }
    }

    /** It has no other connection: the background asks the standby, and a retry finds the operation. */
    @Test
    void aThreadThatKeepsItsConnectionDoesNotFindTheOperationUntilTheStandbyHasIt() throws Exception {
        apply();
        Connection its = patient();
        try (Store store = Store.of(
                () -> Thread.currentThread().getName().equals("fbf-purge") ? patient() : StrangeConnections.pooled(its),
                true,
                0)) {
            assertThat(store.store().find(OPERATION, null)).isNull();
            store.store().start();
            assertThat(store.store().find(OPERATION, null)).isNull();
            Future<?> found = other.submit(() -> {
                while (store.store().find(OPERATION, null) == null) {
                    Thread.onSpinWait();
                }
            });
            awaitAWaiter(found);

            releaseWaiters();

            found.get();
        }
    }

    /** As the driver does when a statement's time is over. */
    @Test
    void aGroupWhoseStatementIsCanceledWhileItWaitsForTheStandbyIsInDoubt() throws Exception {
        CounterTable counters = FbfDatabase.COUNTERS;
        GroupCommit.Applier applier = LEDGER.group(counters);
        GroupedIncrement increment = claims.increment("home", 1);
        Connection connection = database.connect();
        execute(connection, "SET synchronous_commit = on");

        Future<?> applied = other.submit(() -> {
            applier.commit(connection, List.of(increment));
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
