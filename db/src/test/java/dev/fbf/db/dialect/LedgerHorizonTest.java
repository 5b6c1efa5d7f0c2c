package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.dialect.TestDialect.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.SetClock;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class LedgerHorizonTest {

    private static final Duration WINDOW = Duration.ofHours(1);
    private static final Duration ROUND = Duration.ofSeconds(10);

    /** How many records include the transactions of all rows. */
    private static final String RECORDS_OF_ALL =
            "SELECT count(*) FROM fbf_horizon WHERE transactions_before > ALL (SELECT transaction_id FROM fbf_ledger)";

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final LedgerHorizon horizon = node();
    private final UUID operation = UUID.randomUUID();

    private final Logger logger = (Logger) LoggerFactory.getLogger(LedgerHorizon.class);
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();

    private SetClock clock;
    private Connection purger;
    private Connection transaction;

    @BeforeAll
    static void setClock() throws SQLException {
        SetClock.install(database.connect());
    }

    @BeforeEach
    void connect() throws SQLException {
        clock = SetClock.of(database.connect());
        purger = database.connect();
        execute(purger, "TRUNCATE fbf_horizon, fbf_ledger");
        transaction = database.begin();
    }

    @BeforeEach
    void listen() {
        events.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(events);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(events);
        logger.setLevel(null);
    }

    @Test
    void anOperationIsPurgedAWindowAfterItsCommit() throws SQLException {
        advance();
        enter(operation);
        transaction.commit();
        advance();

        assertKeptForAWindow(1);
    }

    @Test
    void theHorizonStopsBeforeTheOldestTransactionThatHasNotEnded() throws SQLException {
        advance();
        enter(operation);
        Connection later = database.begin();
        enter(later, UUID.randomUUID());
        later.commit();
        advance();
        advance();
        assertThat(query(purger, RECORDS_OF_ALL)).isEqualTo("0");

        transaction.commit();
        advance();
        assertThat(query(purger, RECORDS_OF_ALL)).isEqualTo("1");
    }

    @Test
    void theHorizonPassesTransactionsThatHaveEndedWhileOthersAreOpen() throws SQLException {
        advance();
        enter(operation);
        transaction.commit();
        enter(UUID.randomUUID());
        advance();

        letPass("PT60M");
        assertThat(purge()).isEqualTo(1);
        assertThat(LEDGER.exists(purger, operation)).isFalse();
    }

    @Test
    void aTransactionThatIsPreparedHasNotEnded() throws SQLException {
        advance();
        enter(operation);
        execute(transaction, "PREPARE TRANSACTION 'late'");
        advance();
        advance();
        Connection other = database.connect();
        execute(other, "COMMIT PREPARED 'late'");
        assertThat(query(purger, RECORDS_OF_ALL)).isEqualTo("0");

        advance();
        assertThat(query(purger, RECORDS_OF_ALL)).isEqualTo("1");
    }

    @Test
    void theTimeThatPassesUntilAnotherNodeKeepsItCounts() throws SQLException {
        enter(operation);
        transaction.commit();
        advance();
        advance();
        LedgerHorizon other = node();
        other.advance(purger);
        letPass("PT59M");
        other.advance(purger);
        letPass("PT2M");
        other.advance(purger);

        assertThat(TestDialect.purge(purger)).isEqualTo(1);
    }

    @Test
    void theTimeWhileNoNodeRanDoesNotCount() throws SQLException {
        advance();
        enter(operation);
        transaction.commit();
        advance();
        letPass("PT2H");
        LedgerHorizon after = node();
        for (int round = 0; round < 4; round++) {
            advance(after);
        }

        assertThat(TestDialect.purge(purger)).isZero();
    }

    @Test
    void theTimeWhileTheHostWasSuspendedDoesNotCount() throws SQLException {
        advance();
        enter(operation);
        transaction.commit();
        advance();
        clock.suspend(Duration.ofHours(2));

        assertThat(purge()).isZero();
    }

    /** Each operation has a transaction, and some of these are long; nodes come and go; at two moments the database's clock is set. */
    @ParameterizedTest
    @ValueSource(longs = {0, 86_400, -86_400})
    void noOperationIsForgottenWithinTheWindow(long step) throws SQLException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int window = 30;
        int there = 5 + random.nextInt(30);
        int back = there + 1 + random.nextInt(40);
        List<LedgerHorizon> nodes = new ArrayList<>(List.of(node(), node(), node()));
        List<Open> open = new ArrayList<>();
        Map<UUID, Integer> committed = new LinkedHashMap<>();

        for (int second = 0; second < 100; second++) {
            clock.pass(Duration.ofSeconds(1));
            if (second == there || second == back) {
                clock.set(Duration.ofSeconds(second == there ? step : -step));
            }
            int now = second;
            int seconds = random.nextInt(8) == 0 ? random.nextInt(25) : 0;
            open.add(new Open(database.begin(), UUID.randomUUID(), second + seconds));
            if (random.nextBoolean()) {
                open.get(open.size() - 1).connection.setSavepoint();
            }
            LEDGER.insert(
                    open.get(open.size() - 1).connection,
                    TestDialect.claim(open.get(open.size() - 1).operation, Duration.ofSeconds(window), null),
                    null,
                    false);
            for (Open each : List.copyOf(open)) {
                if (each.end <= second) {
                    each.connection.commit();
                    each.connection.close();
                    committed.put(each.operation, second);
                    open.remove(each);
                }
            }
            if (random.nextInt(15) == 0) {
                nodes.set(random.nextInt(nodes.size()), node());
            }
            for (int node = 0; node < nodes.size(); node++) {
                if ((second + 3 * node) % ROUND.toSeconds() == 0
                        && nodes.get(node).advance(purger)) {
                    TestDialect.purge(purger);
                }
            }
            List<UUID> kept = committed.entrySet().stream()
                    .filter(each -> now - each.getValue() < window)
                    .map(Map.Entry::getKey)
                    .toList();
            assertThat(TestDialect.POSTGRES.containedOf(purger, kept))
                    .as("seed=%d, now %d s", seed, now)
                    .containsAll(kept);
        }
        assertThat(query(purger, "SELECT count(*) < 100 FROM fbf_ledger"))
                .as("something was purged")
                .isEqualTo("t");
    }

    private record Open(Connection connection, UUID operation, int end) {}

    /** The other server has assigned fewer ids, or more. */
    @ParameterizedTest
    @ValueSource(strings = {"3", "900000000000"})
    void anOperationThatWasCopiedFromAnotherServerIsKeptForAWindowFromTheCopy(String id) throws SQLException {
        advance();
        advance();
        letPass("PT2H");
        copy(id);
        advance();

        assertKeptForAWindow(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"VACUUM (FREEZE)", "VACUUM (FULL, FREEZE)"})
    void aRowThatIsFrozenExpiresAsBefore(String vacuum) throws SQLException {
        advance();
        enter(operation);
        transaction.commit();
        copy("900000000000");
        advance();
        execute(purger, vacuum + " fbf_ledger");
        assertThat(query(
                        purger,
                        "SELECT bool_and(age(ledger.xmin) > age(relfrozenxid)) FROM fbf_ledger AS ledger, pg_class"
                                + " WHERE pg_class.oid = CAST('fbf_ledger' AS regclass)"))
                .as("is frozen")
                .isEqualTo("t");

        assertKeptForAWindow(2);
    }

    /** The ids of the rows that this server enters are below those of the records. */
    @Test
    void recordsThatWereCopiedFromAServerWithHigherIdsExpireNothing() throws SQLException {
        execute(purger, "INSERT INTO fbf_horizon VALUES ('0', now())");
        execute(purger, "INSERT INTO fbf_horizon VALUES ('900000000000', now() - interval '2 hours')");
        enter(operation);
        transaction.commit();

        assertCopiedRecordsExpireNothing();
    }

    @Test
    void recordsThatWereCopiedFromAServerWithHigherIdsExpireNothingOnceThisServerHasReachedThem() throws SQLException {
        execute(purger, "INSERT INTO fbf_horizon VALUES ('0', now())");
        execute(
                purger,
                "INSERT INTO fbf_horizon SELECT CAST(CAST(CAST(CAST(pg_current_xact_id() AS text) AS bigint) + 20 AS"
                        + " text) AS xid8), now() - interval '2 hours'");
        enter(operation);
        transaction.commit();
        for (int i = 0; i < 30; i++) {
            query(purger, "SELECT pg_current_xact_id()");
        }

        assertCopiedRecordsExpireNothing();
    }

    @Test
    void recordsThatWereCopiedFromAServerWithLowerIdsDoNotExpireTheOperationsThatAreHere() throws SQLException {
        enter(operation);
        transaction.commit();
        execute(
                purger,
                "INSERT INTO fbf_horizon VALUES ('0', now()), (pg_current_xact_id(), now() - interval '2 hours')");

        assertCopiedRecordsExpireNothing();
    }

    private void assertCopiedRecordsExpireNothing() throws SQLException {
        assertThat(TestDialect.purge(purger)).as("before a node has seen them").isZero();
        for (int round = 0; round < 4; round++) {
            advance();
        }

        assertThat(TestDialect.purge(purger)).isZero();
        assertThat(events.list).singleElement().asString().contains("was copied from another server");
        letPass("PT60M");
        assertThat(purge()).isEqualTo(1);
    }

    private void assertKeptForAWindow(int operations) throws SQLException {
        letPass("PT59M50S");
        assertThat(purge()).isZero();
        letPass("PT10S");
        assertThat(purge()).isEqualTo(operations);
    }

    /** Copies an operation that a transaction of another server has entered. */
    private void copy(String id) throws SQLException {
        execute(
                purger,
                "INSERT INTO fbf_ledger (operation, transaction_id, retention) VALUES (gen_random_uuid(), '" + id
                        + "', " + WINDOW.toSeconds() + ")");
    }

    @Test
    void recordsGetSparserWithTheirAge() throws SQLException {
        execute(purger, "INSERT INTO fbf_horizon VALUES ('0', now())");
        execute(purger, """
                DO $$ BEGIN
                  FOR id IN 1..500 LOOP
                    INSERT INTO fbf_horizon VALUES (CAST(CAST(id AS text) AS xid8), now() - (501 - id) * interval '10 seconds');
                    COMMIT;
                  END LOOP;
                END $$""");
        for (int i = 0; i < 20; i++) {
            horizon.advance(purger);
        }

        assertThat(Integer.parseInt(query(purger, "SELECT count(*) FROM fbf_horizon")))
                .isBetween(60, 400);
        assertThat(query(
                        purger,
                        "SELECT bool_and(later - ended_by < greatest(interval '21 seconds', (now() - ended_by)"
                                + " / 15)) FROM (SELECT ended_by, lead(ended_by) OVER (ORDER BY ended_by) AS later"
                                + " FROM fbf_horizon) AS record"))
                .isEqualTo("t");
    }

    private LedgerHorizon node() {
        return new LedgerHorizon(TestDialect.TABLES, () -> clock.nanoTime());
    }

    private void enter(UUID id) throws SQLException {
        enter(transaction, id);
    }

    private static void enter(Connection transaction, UUID id) throws SQLException {
        assertThat(LEDGER.insert(transaction, TestDialect.claim(id, WINDOW, null), null, false)
                        .refusal())
                .isNull();
    }

    private void letPass(String time) throws SQLException {
        clock.pass(Duration.parse(time));
    }

    private void advance() throws SQLException {
        advance(horizon);
    }

    private boolean advance(LedgerHorizon node) throws SQLException {
        clock.pass(ROUND);
        return node.advance(purger);
    }

    private int purge() throws SQLException {
        horizon.advance(purger);
        return TestDialect.purge(purger);
    }
}
