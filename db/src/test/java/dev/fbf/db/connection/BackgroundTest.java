package dev.fbf.db.connection;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(20)
class BackgroundTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final BlockingQueue<Boolean> rounds = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway.Init")
    private Background work;

    @AfterEach
    void close() {
        work.close();
        assertThat(work.awaitEnd(LONG)).isTrue();
    }

    @Test
    void continuesWhateverARoundThrows() throws Exception {
        AtomicInteger count = new AtomicInteger();
        start(Duration.ZERO, early -> {
            rounds.add(early);
            switch (count.incrementAndGet()) {
                case 1 -> throw new OutOfMemoryError("of a driver");
                case 2 -> throw new NoClassDefFoundError("of a driver");
                case 3 -> throw new IllegalStateException("of a pool");
                default -> {
                    return LONG;
                }
            }
        });

        for (int round = 0; round < 4; round++) {
            assertThat(rounds.take()).isFalse();
        }
        work.wake();
        assertThat(rounds.take()).isTrue();
    }

    @Test
    void endsWithoutARoundIfItIsClosedBefore() {
        start(LONG, early -> {
            rounds.add(early);
            return LONG;
        });

        work.close();

        assertThat(work.awaitEnd(LONG)).isTrue();
        assertThat(rounds).isEmpty();
    }

    @Test
    void aFailureIsLoggedOncePerCauseAndRepeatedAfterAPause() {
        Logger logger = (Logger) LoggerFactory.getLogger(Background.class);
        ListAppender<ILoggingEvent> events = new ListAppender<>();
        events.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(events);
        logger.setAdditive(false); // the stack trace of an expected error
        Exception down = new SQLException("no route to host", "08001");
        Exception readOnly = new SQLException("read-only", "25006");
        Iterator<@Nullable Throwable> failures = Arrays.asList(
                        down, down, readOnly, new StackOverflowError(), new StackOverflowError(), down, null, down)
                .iterator();
        try {
            start(LONG, early -> LONG);
            Background rare = new Background("rare", "It cannot be done now", Duration.ofSeconds(1), early -> {
                Throwable failure = failures.next();
                if (failure instanceof Exception e) {
                    throw e;
                }
                if (failure instanceof Error e) {
                    throw e;
                }
                return LONG;
            });

            assertThat(Stream.generate(() -> rare.round(false)).limit(8).map(pause -> (int) pause.toSeconds()))
                    .containsExactly(1, 1, 1, 1, 1, 1, 3_600, 1);
            assertThat(events.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .containsExactly(
                            "It cannot be done now: java.sql.SQLException: no route to host",
                            "It cannot be done now: java.sql.SQLException: read-only",
                            "It cannot be done now: unexpected error in the thread rare; it continues.",
                            "It cannot be done now: java.sql.SQLException: no route to host",
                            "It cannot be done now: java.sql.SQLException: no route to host");
        } finally {
            logger.setAdditive(true);
            logger.detachAppender(events);
            logger.setLevel(Level.OFF);
        }
    }

    private void start(Duration pause, Background.Round round) {
        work = new Background("test", "The test cannot be done now", Duration.ZERO, round);
        work.start(pause);
    }
}
