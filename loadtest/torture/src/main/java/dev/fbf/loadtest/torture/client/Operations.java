package dev.fbf.loadtest.torture.client;

import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * What operations are called. An operation is a number, the client in its upper half and the client's own count in its lower; its
 * key is a random-looking UUID that can be read back. No key of one seed is one of another.
 *
 * @param seed decides keys and counters
 * @param counters how many counters there are
 */
public record Operations(long seed, int counters) {

    private static final long VERSION = 0xF000L;
    private static final long RANDOM = 0x4000L;
    private static final long VARIANT = 0x3L << 62;
    private static final long IETF = 0x2L << 62;

    public static long number(int client, int index) {
        return (long) client << Integer.SIZE | index;
    }

    static int client(long operation) {
        return (int) (operation >>> Integer.SIZE);
    }

    static int index(long operation) {
        return (int) operation;
    }

    /** The idempotency key of an operation. */
    public UUID key(long operation) {
        return new UUID(upper(), (operation & ~VARIANT) | IETF);
    }

    /** The operation of a key; empty if the key is none of ours. */
    public OptionalLong operation(UUID key) {
        return key.getMostSignificantBits() == upper()
                ? OptionalLong.of(key.getLeastSignificantBits() & ~VARIANT)
                : OptionalLong.empty();
    }

    /** The counter that an operation changes. */
    public String counter(long operation) {
        return counter(new SplittableRandom(seed ^ operation * 0x9E3779B97F4A7C15L).nextInt(counters));
    }

    /** The name of a counter. */
    public static String counter(int number) {
        return "page-" + number;
    }

    private long upper() {
        return (new SplittableRandom(seed).nextLong() & ~VERSION) | RANDOM;
    }
}
