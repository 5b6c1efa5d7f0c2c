package dev.fbf.db.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausesTest {

    @Test
    void eachIsLongerThanTheOneBeforeUntilTheTimeout() {
        Duration timeout = Duration.ofMillis(60);
        long begin = System.nanoTime();
        Pauses pauses = new Pauses(timeout);
        int count = 0;
        while (pauses.pause()) {
            count++;
        }

        assertThat(count).isBetween(1, 4); // 5, 10, 20 and the rest
        assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(timeout.toNanos());
    }

    @Test
    void anInterruptEndsThem() {
        Thread.currentThread().interrupt();

        assertThat(new Pauses(Duration.ofDays(1)).pause()).isFalse();

        assertThat(Thread.interrupted()).isTrue();
    }
}
