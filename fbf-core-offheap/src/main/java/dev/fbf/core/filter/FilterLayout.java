package dev.fbf.core.filter;

/**
 * Where everything stands in a filter's file. Format 1; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0                   16                24                      512
 *         +-------------------+-----------------+-----------------------+--------+--------+---
 *         | magic, version    | state           | time of the refresh   | line 0 | line 1 | …
 *         | plan              | (a line of      | time of the shutdown  |        |        |
 *         | secret, checksum  |  its own)       | boot id               |        |        |
 *         +-------------------+-----------------+-----------------------+--------+--------+---
 *           fixed at creation   change while the filter lives             Λ lines of 8 words
 *
 *  word   63                                            0
 *         +--------+--------+--------+-- … --+----------+
 *         | lane 7 | lane 6 | lane 5 |       |  lane 0  |     lanes of 8 bits: one position each,
 *         +--------+--------+--------+-- … --+----------+     one bit for each generation
 * </pre>
 *
 * <p>The bits that all generations have for one position lie side by side in a lane, so that a check costs the same
 * however many generations there are. A line is 64 bytes, as the processor's cache loads them.
 */
final class FilterLayout {

    static final long MAGIC = 0x46_42_46_2D_4C_41_4E_45L; // "FBF-LANE"
    static final long VERSION = 1;

    static final long MAGIC_WORD = 0;
    static final long VERSION_WORD = 1;
    static final long RULE_WORD = 2;
    static final long LANE_BITS_WORD = 3;
    static final long PAST_WORD = 4;
    static final long LINES_WORD = 5;
    static final long PROBE_LINES_WORD = 6;
    static final long PROBES_PER_LINE_WORD = 7;
    static final long PERIOD_MILLIS_WORD = 8;
    static final long SECRET_WORD = 9;
    static final long CHECKSUM_WORD = 11;

    static final long STATE_WORD = 16;

    /** Milliseconds since 1970 of the refresh that began the epoch. */
    static final long REFRESHED_AT_WORD = 24;

    /** Milliseconds since 1970 of the clean shutdown; {@link #OPEN} while a process has the filter open. */
    static final long CLOSED_AT_WORD = 25;

    static final long OPEN = 0;
    static final long BOOT_ID_WORD = 26;

    static final int HEADER_WORDS = 512;
    static final int LINE_BITS = 512;
    static final int LINE_WORDS = LINE_BITS / Long.SIZE;

    private FilterLayout() {}

    /** What stands for a rule: in how many generations it puts an operation. */
    static long code(Rule rule) {
        return switch (rule) {
            case SINGLE -> 1;
            case PAPER -> 2;
        };
    }

    static long words(long lines) {
        return HEADER_WORDS + lines * LINE_WORDS;
    }
}
