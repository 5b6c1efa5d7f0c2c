package dev.fbf.loadtest.torture.client;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * What operations are called. An operation is a number; its key is a random-looking UUID that can be read back. No key of one seed is
 * one of another.
 *
 * @param grouped the share of operations that are committed in groups
 */
public record Operations(long seed, int counters, double grouped) {

    public enum Target {
        /** The views of a page, by a transaction of its own. */
        PAGE,
        /** A counter that no other operation adds to, in a group. */
        OWN_COUNTER,
        /** One of a few counters, in a group. */
        SHARED_COUNTER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /** What the names of pages begin with. */
    public static final String PAGE = "page-";

    private static final String OWN = "op-";
    private static final String SHARED = "shared-";

    /** Few, so that a group has several operations on one. */
    private static final int SHARED_COUNTERS = 2;

    /** What part of the grouped operations adds to those. */
    private static final double SHARE_OF_SHARED = 1.0 / 3;

    private static final long VERSION = 0xF000L;
    private static final long RANDOM = 0x4000L;
    private static final long VARIANT = 0x3L << 62;
    private static final long IETF = 0x2L << 62;

    public UUID key(long operation) {
        return new UUID(upper(), (operation & ~VARIANT) | IETF);
    }

    /** The operation of a key; empty if the key is none of ours. */
    public OptionalLong operation(UUID key) {
        return key.getMostSignificantBits() == upper()
                ? OptionalLong.of(key.getLeastSignificantBits() & ~VARIANT)
                : OptionalLong.empty();
    }

    public Target target(long operation) {
        return target(random(operation));
    }

    private Target target(SplittableRandom random) {
        if (random.nextDouble() >= grouped) {
            return Target.PAGE;
        }
        return random.nextDouble() < SHARE_OF_SHARED ? Target.SHARED_COUNTER : Target.OWN_COUNTER;
    }

    public String counter(long operation) {
        SplittableRandom random = random(operation);
        return switch (target(random)) {
            case PAGE -> page(random.nextInt(counters));
            case OWN_COUNTER -> OWN + key(operation);
            case SHARED_COUNTER -> SHARED + random.nextInt(SHARED_COUNTERS);
        };
    }

    String path(long operation) {
        return target(operation) == Target.PAGE
                ? "/pages/" + counter(operation) + "/views"
                : "/counters/" + counter(operation) + "/increments";
    }

    public static String page(int number) {
        return PAGE + number;
    }

    /** Whether a counter is one of those that many grouped operations add to. */
    public static boolean isShared(String counter) {
        return counter.startsWith(SHARED);
    }

    private SplittableRandom random(long operation) {
        return new SplittableRandom(seed ^ operation * 0xBF58476D1CE4E5B9L);
    }

    private long upper() {
        return (new SplittableRandom(seed).nextLong() & ~VERSION) | RANDOM;
    }
}
