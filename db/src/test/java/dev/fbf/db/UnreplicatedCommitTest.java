package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.guard.Refusal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server whose synchronous standby is away, as an old primary's is after a failover. What it shows, the standby may lack: here
 * because some sessions do not wait for it, elsewhere because the server crashed while they did.
 */
@Timeout(60)
@Tag("slow")
class UnreplicatedCommitTest {

    private static final Duration LONG = Duration.ofSeconds(10);
    private static final UUID OPERATION = UUID.randomUUID();

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase(Map.of("wal_level", "replica"));

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @BeforeEach
    void sendTheStandbyAway() throws SQLException {
        waitFor("nobody");
    }

    @AfterEach
    void stop() throws SQLException {
        waitFor("");
        other.shutdownNow();
    }

    @Test
    void aTransactionCountsAsCommittedOnceTheStandbyHasIt() throws Exception {
        WitnessTable witness = new WitnessTable(FbfDatabase.TABLES, UUID.randomUUID());
        witness.prepare(database.connect(), 1);
        try (Connection tx = database.begin()) {
            witness.turn(tx, 0, WitnessTable.NO_TOKEN, 1);
            tx.commit();
        }

        Settlement settlement =
                untilTheStandbyIsBack(connection -> witness.settle(connection, 0, WitnessTable.NO_TOKEN, 1, LONG));

        assertThat(settlement).isEqualTo(new Settlement(TransactionOutcome.COMMITTED, 1));
    }

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
        CounterTable counters = CounterTable.ofFbf(FbfDatabase.TABLES);
        LedgerGroup applier = new LedgerGroup(counters, FbfDatabase.LEDGER);
        GroupedIncrement increment = claims.increment("home", 1);
        Connection connection = database.connect();
        execute(connection, "SET synchronous_commit = on");

        Future<?> applied = other.submit(() -> {
            applier.applyOptimistically(connection, List.of(increment), LONG);
            return null;
        });
        awaitAWaiter(applied);
        execute(database.connect(), "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        applied.get();

        assertThat(increment.value()).isNull();
        assertThat(increment.refusal()).isEqualTo(Refusal.IN_DOUBT);
        assertThat(query(database.connect(), "SELECT value FROM fbf_counter")).isEqualTo("1");
    }

    private interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /** What a session is told that waits for the standby: it is told nothing before. */
    private <T> T untilTheStandbyIsBack(Question<T> question) throws Exception {
        Connection connection = database.connect();
        execute(connection, "SET synchronous_commit = on");
        Callable<T> asking = () -> question.ask(connection);
        Future<T> told = other.submit(asking);
        awaitAWaiter(told);
        waitFor("");
        return told.get();
    }

    private static void awaitAWaiter(Future<?> told) throws SQLException {
        while (query(database.connect(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                .equals("0")) {
            assertThat(told.isDone()).isFalse();
        }
    }

    private static void waitFor(String standby) throws SQLException {
        Connection connection = database.connect();
        execute(connection, "ALTER SYSTEM SET synchronous_standby_names = '" + standby + "'");
        execute(connection, "SELECT pg_reload_conf()");
        while (!query(connection, "SHOW synchronous_standby_names").equals(standby)) {
            Thread.onSpinWait();
        }
    }
}
