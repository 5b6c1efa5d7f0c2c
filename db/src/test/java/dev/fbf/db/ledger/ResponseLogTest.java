package dev.fbf.db.ledger;

import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.Response;
import dev.fbf.db.dialect.TestDialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** Responses that are recorded or cannot be, and what the application's log has of them. */
@Timeout(20)
class ResponseLogTest {

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ResponseLog.class);

    private static final String MARKER = "marker-of-this-test";
    private static final int MAX_BYTES = 1 << 20;

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private final AtomicInteger connections = new AtomicInteger();
    private boolean down;
    private int connectionsUntilDown = Integer.MAX_VALUE;
    private ResponseLog responses;

    @BeforeEach
    void listen() {
        events.start();
        LOGGER.addAppender(events);
        responses = open(MAX_BYTES);
    }

    private ResponseLog open(long maxBytes) {
        return new ResponseLog(StrangeConnections.dataSource(this::connect), connection -> LEDGER, maxBytes);
    }

    @AfterEach
    void close() {
        responses.close();
        LOGGER.detachAppender(events);
    }

    private Connection connect() throws SQLException {
        if (down || connections.incrementAndGet() > connectionsUntilDown) {
            throw new SQLException("no route to host");
        }
        return database.connect();
    }

    @Test
    void oneThatTheDatabaseDoesNotTakeCostsNoOther() throws SQLException {
        List<Response> batch = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            batch.add(response("Location: /orders/" + i + "\n"));
        }
        Response spoilt = response("Location: /" + MARKER + "\0\n");
        batch.add(5, spoilt);

        write(batch);

        batch.remove(spoilt);
        for (Response response : batch) {
            assertThat(find(response.operation())).usingRecursiveComparison().isEqualTo(response);
        }
        assertThat(find(spoilt.operation())).isNull();
        assertThat(responses.dropped()).isEqualTo(1);
    }

    /** After a batch in which one is rejected. */
    @Test
    void aDatabaseThatGoesDownMeanwhileIsNotedSoThatNoneIsLost() throws SQLException {
        connectionsUntilDown = 1;
        List<Response> batch = List.of(response("Location: \0\n"), response(""));

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> write(batch))
                .withMessage("no route to host");
    }

    @Test
    void itsThreadWritesThemSoonAfterTheyWereSent() throws SQLException {
        responses.start();
        for (int i = 0; i < 2; i++) {
            Response response = response("");
            responses.add(entry(response));
            while (responses.find(response.operation()) != null
                    && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            assertThat(find(response.operation())).usingRecursiveComparison().isEqualTo(response);
        }
    }

    /** The driver's message has them, in hexadecimal where they are bytes. */
    @Test
    void noPartOfAResponseIsLogged() throws SQLException {
        write(List.of(response("Location: " + MARKER + "\0\n")));
        responses.add(entry(response("Location: " + MARKER + "\n")));
        FbfDatabase.execute(database.connect(), "ALTER TABLE fbf_response RENAME TO fbf_response_away");
        try {
            responses.close();
        } finally {
            FbfDatabase.execute(database.connect(), "ALTER TABLE fbf_response_away RENAME TO fbf_response");
        }

        assertThat(events.list)
                .isNotEmpty()
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(message -> message.contains(MARKER)
                        || message.contains(HexFormat.of().formatHex(MARKER.getBytes(UTF_8)))
                        || message.contains("INSERT"));
    }

    @Test
    void oneThatIsNotWrittenYetIsFoundAndThenInTheTable() throws SQLException {
        Response response = response("");
        responses.add(entry(response));
        down = true;
        responses.close();
        assertThat(responses.find(response.operation()))
                .usingRecursiveComparison()
                .isEqualTo(response);

        down = false;
        responses.close();
        assertThat(responses.find(response.operation())).isNull();
        assertThat(find(response.operation())).usingRecursiveComparison().isEqualTo(response);
    }

    @Test
    void thoseThatCannotBeWrittenTakeNoMoreThanTheirRoom() {
        down = true;
        for (int i = 0; i < 200; i++) {
            responses.add(entry(large(i)));
        }

        long kept = IntStream.range(0, 200)
                .filter(i -> responses.find(new UUID(0, i)) != null)
                .count();
        assertThat(kept).isBetween(50L, MAX_BYTES / 12_000L);
        assertThat(responses.dropped()).isEqualTo(200 - kept);
        assertThat(events.list)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .startsWith("A response could not be kept: ");
    }

    private void write(List<Response> batch) throws SQLException {
        responses.write(batch.stream().map(ResponseLogTest::entry).toList());
    }

    private static Ledger.Kept entry(Response response) {
        return new Ledger.Kept(response, Duration.ofHours(1));
    }

    private static @Nullable Response find(UUID operation) throws SQLException {
        Connection connection = database.connect();
        return TestDialect.find(connection, operation);
    }

    private static Response response(String headers) throws SQLException {
        return new Response(applied(), 201, headers, MARKER.getBytes(UTF_8));
    }

    private static Response large(int operation) {
        return new Response(new UUID(0, operation), 201, "x".repeat(7_600), new byte[4_096]);
    }

    private static UUID applied() throws SQLException {
        UUID operation = UUID.randomUUID();
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        LEDGER.insert(connection, TestDialect.claim(operation, Duration.ofHours(1), null), null, false);
        connection.commit();
        return operation;
    }
}
