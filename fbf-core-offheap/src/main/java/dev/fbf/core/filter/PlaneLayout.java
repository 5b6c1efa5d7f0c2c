package dev.fbf.core.filter;

/**
 * Where everything stands in a plane-by-plane filter's file. Format 1; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0                   16                24                      512
 *         +-------------------+-----------------+-----------------------+---------+---------+---
 *         | magic, version    | state           | time of the refresh   | plane 0 | plane 1 | …
 *         | m, κ, N, t        | (a line of      | time of the shutdown  |         |         |
 *         | secret, checksum  |  its own)       | boot id               |         |         |
 *         +-------------------+-----------------+-----------------------+---------+---------+---
 *           fixed at creation   change while the filter lives             N + 3 planes of m bits
 * </pre>
 *
 * <p>Generation g (0 is the first future one) lives in plane g mod (N + 3): N + 2 planes are live, one is the spare.
 */
final class PlaneLayout {

    static final long MAGIC = 0x46_42_46_50_4C_41_4E_45L; // "FBFPLANE"
    static final long VERSION = 1;

    static final long MAGIC_WORD = 0;
    static final long VERSION_WORD = 1;
    static final long POSITIONS_WORD = 2;
    static final long PROBES_WORD = 3;
    static final long PAST_WORD = 4;
    static final long PERIOD_MILLIS_WORD = 5;
    static final long SECRET_WORD = 6;
    static final long CHECKSUM_WORD = 8;

    static final long STATE_WORD = 16;

    /** Milliseconds since 1970 of the refresh that began the epoch. */
    static final long REFRESHED_AT_WORD = 24;

    /** Milliseconds since 1970 of the clean shutdown; {@link #OPEN} while a process has the filter open. */
    static final long CLOSED_AT_WORD = 25;

    static final long OPEN = 0;
    static final long BOOT_ID_WORD = 26;

    static final int HEADER_WORDS = 512;
    static final int POSITIONS_PER_LINE = 512;

    private final long planeWords;
    private final int planes;

    PlaneLayout(FilterPlan plan) {
        planeWords = plan.positions() / Long.SIZE;
        planes = plan.liveGenerations() + 1;
    }

    long words() {
        return HEADER_WORDS + planes * planeWords;
    }

    long planeWords() {
        return planeWords;
    }

    /** The first word of the plane that a generation lives in. */
    long planeOf(long generation) {
        return HEADER_WORDS + Math.floorMod(generation, planes) * planeWords;
    }
}
