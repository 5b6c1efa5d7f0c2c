package dev.fbf.spring.jdbc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs that operations are refused for want of room, once a minute at most. Thread-safe. */
final class NoRoom {

    private static final Logger log = LoggerFactory.getLogger(NoRoom.class);

    private static final long PAUSE = Duration.ofMinutes(1).toNanos();

    private final int maxClaims;
    private final AtomicLong nextAt = new AtomicLong(System.nanoTime());

    NoRoom(int maxClaims) {
        this.maxClaims = maxClaims;
    }

    void refused() {
        long now = System.nanoTime();
        long next = nextAt.get();
        if (now - next >= 0 && nextAt.compareAndSet(next, now + PAUSE)) {
            log.warn(
                    "Operations are refused: {} are being applied or in doubt, and there is room for no more"
                            + " (fbf.max-claims).",
                    maxClaims);
        }
    }
}
