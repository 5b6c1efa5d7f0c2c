package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;
import dev.fbf.core.plan.FilterPlan;
import java.util.stream.LongStream;

/**
 * Layout of the file of an {@link Arena}. Formats 1 and 2; all words are 64 bits in native byte order.
 *
 * <pre>
 *  word   0                   24                32          40            104   106     512
 *         +-------------------+-----------------+-----------+-------------+-----+-------+--------+--------+---
 *         | magic, version    | state           | shutdown, | when each   | the | zeros | line 0 | line 1 | …
 *         | plan              | (a line of      | boot,     | generation  | beat|       |        |        |
 *         | secret, checksum  |  its own)       | …         | was sealed  |     |       |        |        |
 *         +-------------------+-----------------+-----------+-------------+-----+-------+--------+--------+---
 *           fixed at creation   change while the filter lives: checked words        Λ lines of 8 words
 *
 *  word   63                                            0
 *         +--------+--------+--------+-- … --+----------+
 *         | lane 7 | lane 6 | lane 5 |       |  lane 0  |     lanes of 8 bits: one position each,
 *         +--------+--------+--------+-- … --+----------+     one bit for each generation
 * </pre>
 *
 * <p>The bits of all generations for one position form a lane, so that the cost of a check does not depend on the number of generations. A
 * line is 64 bytes, the size of a cache line. The header takes a page.
 *
 * <p>Format 1 has operations only. Format 2 also has their requests, and marks for operations whose request is unknown. So an operation
 * that is found without its mark and without a given request was put for another one.
 */
final class FilterLayout {

    static final long MAGIC = 0x46_42_46_2D_4C_41_4E_45L; // "FBF-LANE"
    static final long VERSION = 1;
    static final long VERSION_WITH_REQUESTS = 2;

    static final long MAGIC_WORD = 0;
    static final long VERSION_WORD = 1;
    static final long RULE_WORD = 2;
    static final long MAY_GROW_WORD = 3;
    static final long LANE_BITS_WORD = 4;
    static final long PAST_WORD = 5;
    static final long LINES_WORD = 6;
    static final long PROBE_LINES_WORD = 7;
    static final long PROBES_PER_LINE_WORD = 8;
    static final long PLANNED_PERIOD_WORD = 9;
    /** Three words each: the sizing that the arena is planned for, and the sizing that was stated for the scope. */
    static final long SIZING_WORD = 10;

    static final long STATED_WORD = 13;

    static final long SECRET_WORD = 16;

    /** The checksum of the words before it. */
    static final long CHECKSUM_WORD = SECRET_WORD + ProbeHash.SECRET_WORDS;

    static final long STATE_WORD = 24;

    /** The time of the last clean shutdown; {@link #NONE} from the next open on. */
    static final long CLOSED_AT_WORD = 32;

    /** The time at which another arena took over; {@link #NONE} before. */
    static final long SUPERSEDED_AT_WORD = 33;

    /** The {@linkplain MachineClock#boot boot} in which the arena was last opened. */
    static final long BOOT_WORD = 34;

    /** The time on the filter's clock at the boot of {@link #BOOT_WORD}. */
    static final long BOOTED_AT_WORD = 35;

    /** The time before which a power failure may have taken puts; {@link #NONE} if none did. */
    static final long INCOMPLETE_SINCE_WORD = 36;

    /** The time at which the filter was found to lack operations for another reason than a power failure; {@link #NONE} before. */
    static final long LACKING_SINCE_WORD = 37;

    /** The number of arenas while this one is the newest, by which the next process detects a missing file. */
    static final long ARENAS_WORD = 38;

    /** The time at which the database was found to lack applied operations, until that is accepted; {@link #NONE} otherwise. */
    static final long LOST_SINCE_WORD = 39;

    /** For each bit of a lane, the time at which its generation stopped being the newest. */
    static final long SEALED_AT_WORD = 40;

    /** The beat that was intended last, and the one that was confirmed last: see {@link FileBeat}. */
    static final long INTENDED_BEAT_WORD = 104;

    static final long CONFIRMED_BEAT_WORD = 105;

    static final long NONE = 0;

    static final int HEADER_WORDS = FilterPlan.HEADER_WORDS;
    static final int LINE_WORDS = FilterPlan.LINE_WORDS;
    static final int LINE_BITS = LINE_WORDS * Long.SIZE;

    private FilterLayout() {}

    /** Returns the words of the header that always hold a {@link CheckedWord}. */
    static LongStream checkedWords() {
        return LongStream.concat(
                LongStream.of(STATE_WORD), LongStream.rangeClosed(CLOSED_AT_WORD, CONFIRMED_BEAT_WORD));
    }

    /** Returns the words of the header that are always zero. */
    static LongStream unusedWords() {
        return LongStream.range(CHECKSUM_WORD + 1, HEADER_WORDS)
                .filter(word -> word != STATE_WORD && (word < CLOSED_AT_WORD || word > CONFIRMED_BEAT_WORD));
    }
}
