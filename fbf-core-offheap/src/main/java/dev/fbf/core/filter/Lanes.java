package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;

/**
 * The bits of all generations side by side: one read of each cache line of an operation covers all of them. Independent of which
 * generations are live. Thread-safe and lock-free.
 */
public final class Lanes {

    /*
     * An operation has a number for each of its lines. Its high bits choose the line; from its low end, nine bits per probe choose a bit of
     * the line, and the probe reads the lane around that bit:
     *
     *   number   [ line              …| word (3) bit (6) | word bit | word bit | word bit ]
     *                                   probe 3            probe 2    probe 1    probe 0
     *
     * A check takes one memory latency if the loads of all lines overlap. The processor looks only some 250 instructions ahead, so a probe
     * must be short. The position of a line is computed once, and the bits of all its probes are rounded down to lanes together. A shift
     * takes its count modulo 64, so no masking is needed.
     *
     * Check: the lanes are read plainly, between two volatile reads of the caller and before a fence. The first volatile read orders the
     * plain reads after itself; the fence orders the second one after them. So a check that sees a word with a cleared generation also sees
     * the state that was published before the clearing began. A put whose return a caller knows happened before that caller's check, which
     * therefore sees it, even with plain reads.
     * Put: sets its bits by compare-and-set, which is in a total order with the volatile read of the state after it. For bits that are
     * already set the fence is enough: they were set in the same epoch, or the state has moved. Clear: by compare-and-set too, because puts
     * set other generations' bits of the word at the same time.
     *
     * Both read the word again after each compare-and-set: its result is unreliable if the page could not be written (see MappedFault).
     * When a put returns, its bits are set; otherwise it throws.
     */
    private static final int PROBE_BITS = 9;
    private static final int WORD_SHIFT = 6;
    private static final long WORD_MASK = FilterLayout.LINE_WORDS - 1;

    private final Words words;

    /** Hash that computes the seed of an operation for {@link #find} and {@link #set}. */
    final ProbeHash hash;

    private final long lines;
    private final int probeLines;
    private final int probesPerLine;
    private final int firstLines;
    private final long laneMask;

    /** The lowest bit of each lane of a word. */
    private final long lowestOfLanes;

    /** Mask that rounds the bits of a number's probes down to the start of their lanes. */
    private final long roundDown;

    /**
     * Allocates empty lanes in off-heap memory, with a random secret.
     *
     * @param plan their layout
     * @throws OutOfMemoryError if they exceed {@code -XX:MaxDirectMemorySize}
     */
    public static Lanes allocate(FilterPlan plan) {
        Words words = MappedWords.allocate(plan.bytes() / Long.BYTES);
        new ArenaHeader(words).initialize(plan, ProbeHash.randomSecret());
        return new Lanes(plan, words);
    }

    /** Opens the lanes of a file whose header is initialized. */
    Lanes(FilterPlan plan, Words words) {
        this.words = words;
        hash = new ProbeHash(new ArenaHeader(words).secret());
        lines = plan.lines();
        probeLines = plan.spread().lines();
        probesPerLine = plan.spread().probesPerLine();
        firstLines = plan.linesOfMostChecks();
        laneMask = -1L >>> (Long.SIZE - plan.laneBits());
        lowestOfLanes = Long.divideUnsigned(-1L, laneMask);
        roundDown = roundDown(plan.laneBits());
    }

    private static long roundDown(int laneBits) {
        long mask = 0;
        for (int shift = 0; shift + PROBE_BITS <= Long.SIZE; shift += PROBE_BITS) {
            mask |= (long) (FilterLayout.LINE_BITS - laneBits) << shift;
        }
        return mask;
    }

    /** {@return the generations, one bit each, that have all of an operation's positions set} */
    public long find(OperationId id) {
        return find(hash.seed(id));
    }

    /**
     * Returns the generations, one bit each, that have all of an operation's positions set. Mostly there is none and the first lines show
     * it, so the processor predicts the branch without waiting for the other lines.
     */
    long find(long seed) {
        long found = findInFirstLines(seed) & laneMask;
        if (found != 0) {
            return found & find(seed, firstLines, probeLines);
        }
        words.acquireFence();
        return found;
    }

    /**
     * Returns the generations that have the positions in the first lines set. Unrolled, because a loop would cost as much as another line.
     */
    private long findInFirstLines(long seed) {
        long found = findInLine(seed, 0);
        if (firstLines > 1) {
            found &= findInLine(seed, 1);
            if (firstLines > 2) {
                found &= findInLine(seed, 2);
                if (firstLines > 3) {
                    found &= find(seed, 3, firstLines);
                }
            }
        }
        return found;
    }

    /** Returns the generations, one bit each, that have all of an operation's positions in some of its lines set. */
    long find(long seed, int first, int end) {
        long found = laneMask;
        for (int line = first; line < end; line++) {
            found &= findInLine(seed, line);
        }
        words.acquireFence();
        return found;
    }

    /** Returns the generations that have all positions in a line set. Unrolled, because a loop would cost more than a probe. */
    private long findInLine(long seed, int line) {
        long number = ProbeHash.number(seed, line);
        long position = position(number);
        long probes = number & roundDown;
        long found = lane(position, probes);
        if (probesPerLine > 1) {
            found &= lane(position, probes >>> PROBE_BITS);
            if (probesPerLine > 2) {
                found &= lane(position, probes >>> (2 * PROBE_BITS));
                if (probesPerLine > 3) {
                    found &= lane(position, probes >>> (3 * PROBE_BITS));
                }
            }
        }
        return found;
    }

    /** Sets the positions of an operation, in some generations. */
    public void set(OperationId id, long generations) {
        set(hash.seed(id), probeLines, generations);
    }

    /** Sets the positions in the first {@code end} lines, in some generations. */
    void set(long seed, int end, long generations) {
        // Read before writing: reads load all lines with overlap, but each compare-and-set waits for its own line.
        if ((find(seed, 0, end) & generations) == generations) {
            return;
        }
        for (int line = 0; line < end; line++) {
            long number = ProbeHash.number(seed, line);
            long position = position(number);
            long probes = number & roundDown;
            for (int probe = 0; probe < probesPerLine; probe++) {
                long bits = generations << probes;
                write(position + (probes >>> WORD_SHIFT & WORD_MASK) * Long.BYTES, bits, bits);
                probes >>>= PROBE_BITS;
            }
        }
        words.acquireFence();
    }

    /** Clears all positions of some generations. */
    void clear(long generations) {
        for (long line = 0; line < lines; line++) {
            clear(line, generations);
        }
    }

    /** Clears the positions of some generations in one line. */
    public void clear(long line, long generations) {
        long bits = lowestOfLanes * generations;
        long position = words.position(FilterLayout.HEADER_WORDS + line * FilterLayout.LINE_WORDS);
        for (long word = 0; word < FilterLayout.LINE_WORDS; word++) {
            write(position + word * Long.BYTES, bits, 0);
        }
    }

    /** Sets the bits of a mask to those of a value. */
    private void write(long position, long mask, long bits) {
        long word = words.getPlainAt(position);
        for (int attempts = 0; (word & mask) != bits; attempts++) {
            if (attempts == MappedFault.MAX_ATTEMPTS) {
                throw MappedFault.of(words, "stores have no effect");
            }
            words.compareAndSetAt(position, word, (word & ~mask) | bits);
            word = words.getPlainAt(position);
        }
    }

    private long position(long number) {
        return words.position(FilterLayout.HEADER_WORDS + ProbeHash.line(number, lines) * FilterLayout.LINE_WORDS);
    }

    /** Returns the lane of the first probe, with other lanes of its word above it. */
    private long lane(long position, long probes) {
        return words.getPlainAt(position, probes >>> WORD_SHIFT & WORD_MASK) >>> probes;
    }
}
