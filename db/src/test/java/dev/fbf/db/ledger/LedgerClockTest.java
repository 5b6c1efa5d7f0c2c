package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.query;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static dev.fbf.db.ledger.TestLedger.ROWS;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The ledger while the database's clock is set. */
class LedgerClockTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private static final int WINDOW = 30;
    private static final int BETWEEN_ROUNDS = 10;
    private static final int SECONDS = 100;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Logger logger = (Logger) LoggerFactory.getLogger(LedgerHorizon.class);
    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private final Map<UUID, Integer> committed = new LinkedHashMap<>();
    private final List<Open> open = new ArrayList<>();

    /** A transaction that has entered an operation. */
    private record Open(Connection connection, UUID operation, int end) {}

    private Connection connection;
    private Connection transaction;
    private SetClock clock;

    @BeforeAll
    static void setClock() throws SQLException {
        SetClock.install(database.connect());
    }

    @BeforeEach
    void connect() throws SQLException {
        connection = database.connect();
        LEDGER.trust(connection);
        transaction = database.begin();
        clock = SetClock.of(connection);
        events.start();
        logger.addAppender(events);
    }

    @AfterEach
    void detach() {
        logger.detachAppender(events);
    }

    @ParameterizedTest
    @ValueSource(longs = {300, -86_400, 8, -8})
    void noOperationIsForgottenWithinTheWindowWhenTheClockIsSetAndSetBack(long step) throws SQLException {
        setThereAndBack(step);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(longs = {300, -300, 86_400, -86_400, 45, -45, 8, -8, 3, -3, 1, -1})
    void noOperationIsForgottenWithinTheWindowWheneverTheClockIsSet(long step) throws SQLException {
        for (int i = 0; i < 5; i++) {
            setThereAndBack(step);
            committed.clear();
            open.clear();
        }
    }

    /** Each operation has a transaction, and some of these are long; nodes come and go; at two moments the clock is set. */
    private void setThereAndBack(long step) throws SQLException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int there = 5 + random.nextInt(30);
        int back = there + 1 + random.nextInt(40); // perhaps no node makes a round in between
        List<LedgerPurge> nodes = new ArrayList<>(List.of(node(), node(), node()));

        for (int second = 0; second < SECONDS; second++) {
            clock.pass(SECOND);
            if (second == there || second == back) {
                clock.set(Duration.ofSeconds(second == there ? step : -step));
            }
            enter(second, random.nextInt(8) == 0 ? random.nextInt(25) : 0);
            if (random.nextInt(15) == 0) {
                nodes.set(random.nextInt(nodes.size()), node());
            }
            for (int node = 0; node < nodes.size(); node++) {
                if ((second + 3 * node) % BETWEEN_ROUNDS == 0) {
                    purge(nodes.get(node));
                }
            }
            assertThat(forgotten(second))
                    .as("seed=%d, set by %d s at %d s and back at %d s, now %d s", seed, step, there, back, second)
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {300, -300, -86_400, -45})
    void aClockThatIsSetAndSetBackBetweenTwoRoundsForgetsNothingWithinTheWindow(long step) throws SQLException {
        LedgerPurge node = node();
        for (int round = 0; round < 10; round++) {
            purge(node);
            clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
        }
        purge(node);
        clock.set(Duration.ofSeconds(step));
        enter(0, 0);
        clock.set(Duration.ofSeconds(-step));

        for (int second = BETWEEN_ROUNDS; second < WINDOW; second += BETWEEN_ROUNDS) {
            clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
            purge(node);
            assertThat(forgotten(second)).isZero();
        }
        for (int second = 0; second < 300 + WINDOW + 4 * BETWEEN_ROUNDS; second += BETWEEN_ROUNDS) {
            clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
            purge(node);
        }
        assertThat(query(connection, "SELECT count(*) FROM fbf_ledger"))
                .as("kept for ever")
                .isEqualTo("0");
    }

    /** While an older transaction is open, records are far older than their samples. */
    @ParameterizedTest
    @ValueSource(longs = {-8, -86_400})
    void aTransactionThatEntersWhileTheClockIsBackBetweenTwoRoundsMayStayOpen(long step) throws SQLException {
        LedgerPurge node = node();
        for (int second = 0; second < 100; second++) {
            clock.pass(SECOND);
            if (second == 15) {
                enter(second, 20);
            } else if (second == 31) {
                clock.set(Duration.ofSeconds(step));
                enter(second, 30);
                clock.set(Duration.ofSeconds(-step));
            } else {
                enter(second, 0);
            }
            if (second % BETWEEN_ROUNDS == 0) {
                purge(node);
            }
            assertThat(forgotten(second)).as("now %d s", second).isZero();
        }
    }

    @Test
    void withoutStepsAnOperationIsPurgedAfterItsWindow() throws SQLException {
        LedgerPurge node = node();
        enter(0, 0);

        for (int second = 0; second < WINDOW + 4 * BETWEEN_ROUNDS; second += BETWEEN_ROUNDS) {
            clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
            purge(node);
        }

        assertThat(query(connection, "SELECT count(*) FROM fbf_ledger")).isEqualTo("0");
        assertThat(events.list).isEmpty();
    }

    @Test
    void anOperationOfAnHourAgoWhenNoNodeRanIsKeptForAWindow() throws SQLException {
        LedgerPurge before = node();
        purge(before);
        clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
        purge(before);
        enter(0, 0);
        clock.pass(Duration.ofHours(1));
        LedgerPurge after = node();

        for (int second = 0; second < WINDOW; second += BETWEEN_ROUNDS) {
            purge(after);
            assertThat(forgotten(0)).isZero();
            clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {300, -300})
    void aStepIsSaidOnce(long step) throws SQLException {
        LedgerPurge node = node();
        purge(node);
        clock.set(Duration.ofSeconds(step));

        for (int round = 0; round < 5; round++) {
            clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
            purge(node);
        }

        assertThat(events.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .startsWith("The database's clock went " + (step > 0 ? "ahead by 300 s" : "back by 300 s"));
    }

    @Test
    void aNodeThatStartsAfterTheClockWasSetBackSaysSo() throws SQLException {
        LedgerPurge before = node();
        purge(before);
        clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
        purge(before);
        clock.set(Duration.ofDays(-1));

        purge(node());

        assertThat(events.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .startsWith("The database's clock went back: ");
    }

    /** New rows seem to be as old as the records of a day ago. */
    @Test
    void aClockThatIsSetBackWhileANodePurgesLetsItForgetNothing() throws SQLException {
        LedgerPurge node = node();
        purge(node);
        clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
        purge(node);
        clock.pass(Duration.ofDays(1));
        purge(node);
        clock.set(Duration.ofDays(-1).minusSeconds(BETWEEN_ROUNDS));
        enter(0, 0);

        ROWS.purge(connection, 0, 10);

        assertThat(forgotten(0)).isZero();
    }

    @Test
    void aSuspendedHostForgetsNoOperation() throws SQLException {
        LedgerPurge node = node();
        purge(node);
        clock.pass(SECOND.multipliedBy(BETWEEN_ROUNDS));
        enter(0, 0);
        purge(node);
        clock.suspend(Duration.ofHours(1));
        purge(node);

        assertThat(forgotten(0)).isZero();
    }

    private LedgerPurge node() {
        return new LedgerPurge(
                new LedgerHorizon(FbfDatabase.TABLES, clock::nanoTime),
                SECOND.multipliedBy(BETWEEN_ROUNDS),
                clock::nanoTime,
                ROWS);
    }

    private void purge(LedgerPurge node) throws SQLException {
        node.round(connection, () -> false);
    }

    /** Enters an operation in a transaction that stays open for some seconds, and commits those whose time is over. */
    private void enter(int second, int seconds) throws SQLException {
        for (Open each : List.copyOf(open)) {
            if (each.end <= second) {
                each.connection.commit();
                each.connection.close();
                committed.put(each.operation, second);
                open.remove(each);
            }
        }
        Open opened = new Open(seconds == 0 ? transaction : database.begin(), UUID.randomUUID(), second + seconds);
        assertThat(LEDGER.insert(opened.connection, opened.operation, null, Duration.ofSeconds(WINDOW)))
                .isNull();
        if (seconds == 0) {
            transaction.commit();
            committed.put(opened.operation, second);
        } else {
            open.add(opened);
        }
    }

    /** How many operations are gone whose window has not passed. */
    private int forgotten(int now) throws SQLException {
        List<UUID> due = committed.entrySet().stream()
                .filter(operation -> now - operation.getValue() < WINDOW) // the test itself takes time
                .map(Map.Entry::getKey)
                .toList();
        int forgotten = 0;
        for (UUID operation : due) {
            forgotten += LEDGER.contains(connection, operation) ? 0 : 1;
        }
        return forgotten;
    }
}
