package dev.fbf.client;

import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generator of UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of milliseconds since 1970, 12 bits of a millisecond's fraction (section
 * 6.2, method 3) and 62 random bits.
 *
 * <p>Each is greater than the previous one, also across threads. The exception is a clock that is set back by more than a second: then the
 * UUIDs follow the clock, because servers refuse keys from the future.
 */
final class TimeOrderedUuids {

    private static final int FRACTION_BITS = 12;
    private static final long FRACTION = (1L << FRACTION_BITS) - 1;
    private static final long SECOND = 1_000L << FRACTION_BITS;
    private static final long NANOS_OF_A_SECOND = 1_000_000_000;

    private final SecureRandom random = new SecureRandom();
    private final InstantSource clock;

    /** The time of the last UUID, in 4096ths of a millisecond. */
    private final AtomicLong last = new AtomicLong();

    TimeOrderedUuids(InstantSource clock) {
        this.clock = clock;
    }

    UUID next() {
        long time = last.updateAndGet(this::after);
        long high = time >>> FRACTION_BITS << 16 | 0x7000 | (time & FRACTION);
        long low = Long.MIN_VALUE | (random.nextLong() >>> 2);
        return new UUID(high, low);
    }

    /**
     * Returns the time of the next UUID. Reads the clock after the previous time is known, so that a delayed thread cannot set the time
     * back.
     */
    private long after(long before) {
        long now = now();
        return now > before || now < before - SECOND ? now : before + 1;
    }

    private long now() {
        Instant now = clock.instant();
        return now.getEpochSecond() * SECOND + now.getNano() * SECOND / NANOS_OF_A_SECOND;
    }
}
