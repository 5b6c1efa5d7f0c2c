package dev.fbf.db.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class PeriodicWorkTest {

    private static final Duration LONG = Duration.ofHours(1);

    private final BlockingQueue<Boolean> rounds = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway.Init")
    private PeriodicWork work;

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
    void wakesFromTheFirstPause() throws Exception {
        start(LONG, early -> {
            rounds.add(early);
            return LONG;
        });

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

    private void start(Duration pause, PeriodicWork.Round round) {
        work = new PeriodicWork("test", Duration.ZERO, round);
        work.start(pause);
    }
}
