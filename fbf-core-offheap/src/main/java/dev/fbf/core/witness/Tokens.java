package dev.fbf.core.witness;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generator of tokens for the witness's rows. Each token is newer than all earlier ones of its slot, so that a difference between a row and
 * a file shows which of them is older, and by how much. Thread-safe.
 *
 * <pre>
 *   63  62                                          22 21                    0
 *  +---+----------------------------------------------+----------------------+
 *  | 0 | milliseconds since 2020; more than before it | differs from those   |
 *  |   |                                              | of the same time     |
 *  +---+----------------------------------------------+----------------------+
 * </pre>
 *
 * <p>The fence of a token is its complement, which is below zero and as new as the token.
 */
final class Tokens {

    private static final int COUNT_BITS = 22;
    private static final long COUNTS = 1L << COUNT_BITS;
    private static final long TIMES = 1L << (Long.SIZE - 1 - COUNT_BITS);

    /** 2020-01-01T00:00:00Z. */
    private static final long EPOCH = 1_577_836_800_000L;

    private final InstantSource clock;

    /** Random start, so that two processes with copies of one directory generate different tokens. */
    private final AtomicLong count = new AtomicLong(new SecureRandom().nextLong());

    Tokens(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns a token that is newer than {@code previous}, the token of the slot's row, and so is new to the slot. */
    long next(long previous) {
        long now = Math.max(1, clock.millis() - EPOCH); // at least 1, so that a token is neither 0 nor its complement
        long time = Math.max(now, (order(previous) >>> COUNT_BITS) + 1);
        return (time < TIMES ? time : now) << COUNT_BITS | (count.getAndIncrement() & (COUNTS - 1));
    }

    /** Returns whether a slot's row had a token, or its fence, after another one. */
    static boolean isNewer(long token, long other) {
        return order(token) > order(other);
    }

    /** Returns the approximate creation time of a token, in milliseconds since 1970. */
    static long millis(long token) {
        return (order(token) >>> COUNT_BITS) + EPOCH;
    }

    private static long order(long token) {
        return token < 0 ? ~token : token;
    }
}
