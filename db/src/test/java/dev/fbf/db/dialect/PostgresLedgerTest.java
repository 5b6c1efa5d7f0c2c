package dev.fbf.db.dialect;

import static dev.fbf.core.claim.Refusal.APPLIED;
import static dev.fbf.core.claim.Refusal.IN_PROGRESS;
import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.dialect.TestDialect.LEDGER;
import static dev.fbf.db.dialect.TestDialect.ROWS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.connection.Identifiers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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

    private static final CounterTable COUNTERS = FbfDatabase.COUNTERS;

    private static final Duration HOUR = Duration.ofHours(1);

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
        assertThat(LEDGER.insert(first, operation, null, HOUR, null, false).refusal())
                .isNull();
        assertThat(LEDGER.exists(second, operation)).isFalse();
        first.commit();

        assertThat(LEDGER.exists(second, operation)).isTrue();
        assertThat(LEDGER.insert(second, operation, null, HOUR, null, false).refusal())
                .isEqualTo(APPLIED);
    }

    /** Asked before, so that the server logs no error. */
    @Test
    void aloneInItsTransactionItEntersAnOperationOnce() throws SQLException {
        assertThat(LEDGER.insert(first, operation, null, HOUR, null, true).refusal())
                .isNull();
        assertThat(LEDGER.insert(second, operation, null, HOUR, null, true).refusal())
                .isEqualTo(IN_PROGRESS);
        first.commit();

        assertThat(LEDGER.insert(second, operation, null, HOUR, null, true).refusal())
                .isEqualTo(APPLIED);
        second.commit();
    }

    /** The lock is got, and the snapshot of the statement is older than the row. */
    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void aloneItIsInProgressOrConflictsIfTheRowCameSinceTheSnapshot(String isolation) throws SQLException {
        Connection old = database.connect(isolation);
        old.setAutoCommit(false);
        assertThat(LEDGER.exists(old, operation)).isFalse();
        LEDGER.insert(first, operation, null, HOUR, null, true);
        first.commit();

        try {
            assertThat(LEDGER.insert(old, operation, null, HOUR, null, true).refusal())
                    .isEqualTo(IN_PROGRESS);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("40001");
        }
    }

    @Test
    void entersAnOperationOnceInOneTransaction() throws SQLException {
        assertThat(LEDGER.insert(first, operation, null, HOUR, null, false).refusal())
                .isNull();
        assertThat(LEDGER.insert(first, operation, null, HOUR, null, false).refusal())
                .isEqualTo(APPLIED);
    }

    @Test
    void theTransactionGoesOnWhateverTheResponse() throws SQLException {
        UUID open = UUID.randomUUID();
        LEDGER.insert(first, operation, null, HOUR, null, false);
        first.commit();
        LEDGER.insert(first, open, null, HOUR, null, false);

        COUNTERS.add(second, "views", 1);
        assertThat(LEDGER.insert(second, operation, null, HOUR, null, false).refusal())
                .isEqualTo(APPLIED);
        COUNTERS.add(second, "views", 1);
        assertThat(LEDGER.insert(second, open, null, HOUR, null, false).refusal())
                .isEqualTo(IN_PROGRESS);
        COUNTERS.add(second, "views", 1);
        second.commit();

        assertThat(FbfDatabase.value(COUNTERS, first, "views")).hasValue(3);
    }

    @Test
    void anOperationThatSharesHalfItsBitsHasToComeBack() throws SQLException {
        UUID lookalike = new UUID(~operation.getMostSignificantBits(), operation.getLeastSignificantBits());
        LEDGER.insert(first, operation, null, HOUR, null, false);

        assertThat(LEDGER.insert(second, lookalike, null, HOUR, null, false).refusal())
                .isEqualTo(IN_PROGRESS);
        first.commit();
        assertThat(LEDGER.insert(second, lookalike, null, HOUR, null, false).refusal())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void anOldSnapshotIsToldToTryAgain(String isolation) throws SQLException {
        Connection old = database.connect(isolation);
        old.setAutoCommit(false);
        assertThat(LEDGER.exists(old, operation)).isFalse();
        LEDGER.insert(first, operation, null, HOUR, null, false);

        assertThat(LEDGER.insert(old, operation, null, HOUR, null, false).refusal())
                .isEqualTo(IN_PROGRESS);
        first.commit();

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> LEDGER.insert(old, operation, null, HOUR, null, false))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("40001"));
        old.rollback();
        assertThat(LEDGER.insert(old, operation, null, HOUR, null, false).refusal())
                .isEqualTo(APPLIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void sixteenThreadsApplyEachOperationOnce(String isolation) throws Exception {
        int threads = 16;
        List<UUID> operations = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            operations.add(UUID.randomUUID());
        }
        CyclicBarrier start = new CyclicBarrier(threads);

        List<Integer> news = inParallel(threads, () -> {
            Connection connection = database.connect(isolation);
            connection.setAutoCommit(false);
            start.await();
            int applied = 0;
            for (UUID each : operations) {
                applied += applyUntilKnown(connection, each);
            }
            return applied;
        });

        assertThat(news.stream().mapToInt(Integer::intValue).sum()).isEqualTo(operations.size());
        for (UUID each : operations) {
            assertThat(FbfDatabase.value(COUNTERS, first, each.toString())).hasValue(1);
        }
    }

    /** Retries as a client would; returns how often the operation was new to it. */
    private static int applyUntilKnown(Connection connection, UUID operation) throws SQLException {
        while (true) {
            try {
                Refusal entry = LEDGER.insert(connection, operation, null, HOUR, null, false)
                        .refusal();
                if (entry == null) {
                    COUNTERS.add(connection, operation.toString(), 1);
                }
                connection.commit();
                if (entry != IN_PROGRESS) {
                    return entry == null ? 1 : 0;
                }
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("40001");
                connection.rollback();
            }
        }
    }

    @Test
    void refusesToInsertWithoutATransaction() throws SQLException {
        Connection connection = database.connect();

        assertThatIllegalStateException()
                .isThrownBy(() -> LEDGER.insert(connection, operation, null, HOUR, null, false))
                .withMessageStartingWith("autoCommit=true: ");
        assertThat(LEDGER.exists(connection, operation)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "P24001D"})
    void refusesARetentionThatDoesNotFit(Duration retention) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LEDGER.insert(first, operation, null, retention, null, false))
                .withMessage("retention=" + retention + ": must be from 1 ms to 24,000 days");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT1H", "P24000D"})
    void anOperationHasItsRetentionAndTheIdOfItsTransaction(Duration retention) throws SQLException {
        LEDGER.insert(first, operation, null, retention, null, false);

        assertThat(query(first, "SELECT transaction_id = pg_current_xact_id() FROM fbf_ledger"))
                .isEqualTo("t");
        assertThat(query(first, "SELECT retention FROM fbf_ledger"))
                .isEqualTo(String.valueOf(Math.max(1, retention.toSeconds())));
    }

    @Test
    void anExpiredOperationCountsUntilItIsPurged() throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 1);
        UUID expired = UUID.fromString(query(first, "SELECT operation FROM fbf_ledger"));

        assertThat(LEDGER.exists(first, expired)).isTrue();
        assertThat(LEDGER.insert(first, expired, null, HOUR, null, false).refusal())
                .isEqualTo(APPLIED);
        first.commit();
        assertThat(ROWS.purge(second, 0, 10)).isEqualTo(1);
        assertThat(LEDGER.exists(first, expired)).isFalse();
        assertThat(LEDGER.insert(first, expired, null, HOUR, null, false).refusal())
                .isNull();
    }

    @Test
    void anOperationWaitsForThePurgeThatDeletesItAndIsNew() throws Exception {
        FbfDatabase.enterExpired(database.connect(), 1);
        UUID expired = UUID.fromString(query(first, "SELECT operation FROM fbf_ledger"));
        execute(second, "DELETE FROM fbf_ledger");

        FutureTask<@Nullable Refusal> refusal = new FutureTask<>(
                () -> LEDGER.insert(first, expired, null, HOUR, null, false).refusal());
        new Thread(refusal).start();
        database.awaitAWaiter();
        second.commit();
        assertThat(refusal.get()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void purgesWhatHasExpiredInSomePages(boolean autoCommit) throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 500);
        FbfDatabase.enterKept(database.connect(), 5);
        Connection purger = database.connect();
        purger.setAutoCommit(autoCommit);
        long pages = ROWS.pages(purger);
        int onTheFirst = Integer.parseInt(query(first, "SELECT count(*) FROM fbf_ledger WHERE ctid < '(1,0)'"));
        assertThat(pages).isGreaterThan(2);
        assertThat(onTheFirst).isPositive();

        assertThat(ROWS.purge(purger, 0, 1)).isEqualTo(onTheFirst);
        assertThat(purger.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(database.isIdle(purger)).isTrue();
        assertThat(ROWS.purge(purger, 1, (int) pages)).isEqualTo(500 - onTheFirst);
        assertThat(query(first, "SELECT count(*) FROM fbf_ledger")).isEqualTo("5");
    }

    @Test
    void purgePassesOverRowsThatOthersAreDeleting() throws SQLException {
        FbfDatabase.enterExpired(database.connect(), 25);
        execute(first, "DELETE FROM fbf_ledger WHERE ctid IN (SELECT ctid FROM fbf_ledger LIMIT 10)");

        assertThat(ROWS.purge(second, 0, 100)).isEqualTo(15);
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
            int sum = 0;
            for (int page = 0; page < 20; page++) {
                sum += ROWS.purge(connection, page, 1);
            }
            return sum;
        });

        assertThat(purged.stream().mapToInt(Integer::intValue).sum()).isEqualTo(2_000);
        assertThat(query(first, "SELECT count(*) FROM fbf_ledger")).isEqualTo("100");
    }

    @Test
    void refusesToPurgeNoPages() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ROWS.purge(first, 0, 0))
                .withMessage("first=0, pages=0: must be at least 0 and 1");
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

    @Test
    void tablesAreFoundWhateverTheSearchPath() throws SQLException {
        Connection connection = database.elsewhere();
        Ledger.Answer answer = new Ledger.Answer(200, "", new byte[] {1});
        LEDGER.check(connection, true);

        connection.setAutoCommit(false);
        assertThat(LEDGER.insert(connection, operation, 5L, Duration.ofMillis(1), null, false)
                        .refusal())
                .isNull();
        connection.commit();
        assertThat(LEDGER.insert(connection, operation, 5L, HOUR, null, false).refusal())
                .isEqualTo(APPLIED);
        connection.commit();
        assertThat(LEDGER.find(connection, operation, false)).isEqualTo(new Ledger.Found(5L, null, false, null));
        assertThat(LEDGER.exists(connection, operation)).isTrue();
        connection.commit();
        connection.setAutoCommit(true);
        LEDGER.keep(connection, List.of(new Ledger.Kept(operation, answer, HOUR)));
        assertThat(LEDGER.find(connection, operation, true))
                .satisfies(found ->
                        assertThat(found.answer()).usingRecursiveComparison().isEqualTo(answer));

        new LedgerHorizon(TestDialect.TABLES).advance(connection);
        execute(
                connection,
                "INSERT INTO " + Identifiers.quote(FbfDatabase.SCHEMA)
                        + ".fbf_horizon SELECT pg_current_xact_id(), ended_by - interval '1 second' FROM "
                        + Identifiers.quote(FbfDatabase.SCHEMA) + ".fbf_horizon");
        assertThat(ROWS.purge(connection, 0, 10)).isEqualTo(1);
        assertThat(LEDGER.find(connection, operation, true)).isNull();
    }
}
