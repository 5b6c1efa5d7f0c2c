package dev.fbf.core.filter;

/**
 * Where everything stands in a plane-by-plane filter's file. Format 1; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0       8                 16                24                32              512
 *         +-------+-----------------+-----------------+-----------------+---------------+---------+---------+--
 *         | magic | plan            | state           | life            | refresh times | plane 0 | plane 1 | …
 *         | version, N, κ           | (a line of its  | (closed at,     | (a ring of    |         |         |
 *         | m, t, secret, checksum  |  own)           |  boot id)       |  N + 3)       |         |         |
 *         +-------+-----------------+-----------------+-----------------+---------------+---------+---------+--
 *           fixed at creation, checksummed              changes while the filter lives    N + 3 planes of m bits
 * </pre>
 *
 * <p>Generation g (0 is the first future one) lives in plane g mod (N + 3), and the time of the refresh that began
 * epoch e stands in slot e mod (N + 3) of the ring: of N + 3 planes N + 2 are live and one is the spare.
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

    /** Milliseconds since 1970 of the clean shutdown; {@link #OPEN} while a process has the filter open. */
    static final long CLOSED_AT_WORD = 24;

    static final long OPEN = 0;
    static final long BOOT_ID_WORD = 25;

    static final int HEADER_WORDS = 512;
    static final int POSITIONS_PER_LINE = 512;

    private static final long REFRESHED_AT_WORD = 32;

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

    /** The word with the time of the refresh that began an epoch. */
    long refreshedAtWord(long epoch) {
        return REFRESHED_AT_WORD + Math.floorMod(epoch, planes);
    }
}
