package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** What the log tells of responses that cannot be recorded. */
class ResponseLogTest {

    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ResponseLog.class);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final ListAppender<ILoggingEvent> events = new ListAppender<>();
    private boolean down;
    private ResponseLog responses;

    @BeforeEach
    void listen() {
        events.start();
        LOGGER.addAppender(events);
        DataSource fragile = StrangeConnections.dataSource(this::connect);
        responses = new ResponseLog(fragile, new ResponseTable(FbfDatabase.TABLES));
    }

    @AfterEach
    void close() {
        responses.close();
        LOGGER.detachAppender(events);
    }

    private Connection connect() throws SQLException {
        if (down) {
            throw new SQLException("no route to host");
        }
        return database.connect();
    }

    @Test
    void aDatabaseThatIsDownIsWarnedOfOnceAndNotForEveryBatch() {
        down = true;
        writeBatches(3);

        assertWarnings(1);
    }

    @Test
    void oneThatFailsAnewAfterItHadRecoveredIsWarnedOfAgain() {
        down = true;
        writeBatches(2);
        down = false;
        writeBatches(2);
        assertWarnings(1);

        down = true;
        writeBatches(2);

        assertWarnings(2);
    }

    private void assertWarnings(int count) {
        assertThat(events.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .hasSize(count)
                .allMatch(message -> message.startsWith("Responses cannot be recorded now: ")
                        && message.endsWith("no route to host"));
    }

    private void writeBatches(int count) {
        for (int batch = 0; batch < count; batch++) {
            responses.write(List.of(new Response(UUID.randomUUID(), 204, "", Response.Ending.RETURNED, new byte[0])));
        }
    }
}
