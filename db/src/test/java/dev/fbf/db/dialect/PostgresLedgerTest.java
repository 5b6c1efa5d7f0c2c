package dev.fbf.db.dialect;

import static dev.fbf.core.claim.Refusal.APPLIED;
import static dev.fbf.core.claim.Refusal.IN_PROGRESS;
import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.dialect.TestDialect.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PostgresLedgerTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final UUID operation = UUID.randomUUID();

    private Connection first;
    private Connection second;

    @BeforeEach
    void connect() throws SQLException {
        first = database.begin();
        second = database.begin();
    }

    @Test
    void entersAnOperationOnce() throws SQLException {
        assertThat(LEDGER.exists(second, operation)).isFalse();
        assertThat(TestDialect.insert(first, operation, false)).isNull();
        assertThat(LEDGER.exists(second, operation)).isFalse();
        first.commit();

        assertThat(LEDGER.exists(second, operation)).isTrue();
        assertThat(TestDialect.insert(second, operation, false)).isEqualTo(APPLIED);
    }

    /** Asked before, so that the server logs no error. */
    @Test
    void aloneInItsTransactionItEntersAnOperationOnce() throws SQLException {
        assertThat(TestDialect.insert(first, operation, true)).isNull();
        assertThat(TestDialect.insert(second, operation, true)).isEqualTo(IN_PROGRESS);
        first.commit();

        assertThat(TestDialect.insert(second, operation, true)).isEqualTo(APPLIED);
        second.commit();
    }

    /** The lock is got, and the snapshot of the statement is older than the row. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void aloneItIsInProgressOrConflictsIfTheRowCameSinceTheSnapshot(String isolation) throws SQLException {
        Connection old = database.connect(isolation);
        old.setAutoCommit(false);
        assertThat(LEDGER.exists(old, operation)).isFalse();
        TestDialect.insert(first, operation, true);
        first.commit();

        try {
            assertThat(TestDialect.insert(old, operation, true)).isEqualTo(IN_PROGRESS);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("40001");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void anOldSnapshotIsToldToTryAgain(String isolation) throws SQLException {
        Connection old = database.connect(isolation);
        old.setAutoCommit(false);
        assertThat(LEDGER.exists(old, operation)).isFalse();
        TestDialect.insert(first, operation, false);

        assertThat(TestDialect.insert(old, operation, false)).isEqualTo(IN_PROGRESS);
        first.commit();

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> TestDialect.insert(old, operation, false))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("40001"));
        old.rollback();
        assertThat(TestDialect.insert(old, operation, false)).isEqualTo(APPLIED);
    }

    @Test
    void anExpiredOperationCountsUntilItIsPurged() throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 1);
        UUID expired = UUID.fromString(query(first, "SELECT operation FROM fbf_ledger"));

        assertThat(LEDGER.exists(first, expired)).isTrue();
        assertThat(TestDialect.insert(first, expired, false)).isEqualTo(APPLIED);
        first.commit();
        assertThat(TestDialect.purge(second)).isEqualTo(1);
        assertThat(LEDGER.exists(first, expired)).isFalse();
        assertThat(TestDialect.insert(first, expired, false)).isNull();
    }

    @Test
    void anOperationWaitsForThePurgeThatDeletesItAndIsNew() throws Exception {
        FbfDatabase.enterExpired(database.connect(), 1);
        UUID expired = UUID.fromString(query(first, "SELECT operation FROM fbf_ledger"));
        execute(second, "DELETE FROM fbf_ledger");

        FutureTask<@Nullable Refusal> refusal = new FutureTask<>(() -> TestDialect.insert(first, expired, false));
        new Thread(refusal).start();
        database.awaitAWaiter();
        second.commit();
        assertThat(refusal.get()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void manyNodesPurgeTogether(String isolation) throws Exception {
        FbfDatabase.enterExpired(database.connect(), 2_000);
        FbfDatabase.enterKept(database.connect(), 100);
        int threads = 4;
        CyclicBarrier start = new CyclicBarrier(threads);

        List<Integer> purged = inParallel(threads, () -> {
            Connection connection = database.connect(isolation);
            start.await();
            return TestDialect.purge(connection);
        });

        assertThat(purged.stream().mapToInt(Integer::intValue).sum()).isEqualTo(2_000);
        assertThat(query(first, "SELECT count(*) FROM fbf_ledger")).isEqualTo("100");
    }

    private static <T> List<T> inParallel(int threads, Callable<T> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                futures.add(pool.submit(work));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
