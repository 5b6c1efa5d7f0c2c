package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.Words;

/**
 * The bits of all generations side by side: one look at each cache line of an operation answers for all of them.
 * Thread-safe and lock-free; knows nothing of which generations are live.
 */
final class Lanes {

    private final Words words;
    private final ProbeHash hash;
    private final long lines;
    private final int probeLines;
    private final int probesPerLine;
    private final int laneBitsLog2;
    private final long laneMask;
    /** A line's slot: its low bits say which lane of a word, the others which word. */
    private final int slotBits;

    private final int lanesOfWordLog2;

    /** The lanes of a file whose header was written. */
    Lanes(FilterPlan plan, Words words) {
        this.words = words;
        hash = new ProbeHash(
                words.getVolatile(FilterLayout.SECRET_WORD), words.getVolatile(FilterLayout.SECRET_WORD + 1));
        lines = plan.lines();
        probeLines = plan.spread().lines();
        probesPerLine = plan.spread().probesPerLine();
        laneBitsLog2 = Integer.numberOfTrailingZeros(plan.laneBits());
        laneMask = -1L >>> (Long.SIZE - plan.laneBits());
        slotBits = Integer.numberOfTrailingZeros(plan.spread().slots());
        lanesOfWordLog2 = Integer.numberOfTrailingZeros(Long.SIZE / plan.laneBits());
    }

    /** What {@link #find} and {@link #set} know an operation by. */
    long seed(OperationId id) {
        return hash.seed(id);
    }

    /**
     * The generations, one bit each, that have all of an operation's positions set. Goes through the lines for the
     * first probe, then through them for the second, and so on: the processor then has the loads of all lines under way
     * before it waits for the first of them.
     */
    long find(long seed) {
        long found = laneMask;
        for (int probe = 0; probe < probesPerLine; probe++) {
            for (int line = 0; line < probeLines; line++) {
                long number = ProbeHash.number(seed, line);
                int slot = slot(number, probe);
                found &= words.getVolatile(firstWord(number) + (slot >>> lanesOfWordLog2)) >>> shift(slot);
            }
        }
        return found;
    }

    /** Sets all of an operation's positions in some generations. */
    void set(long seed, long generations) {
        for (int line = 0; line < probeLines; line++) {
            long number = ProbeHash.number(seed, line);
            long first = firstWord(number);
            for (int probe = 0; probe < probesPerLine; probe++) {
                int slot = slot(number, probe);
                setBits(first + (slot >>> lanesOfWordLog2), generations << shift(slot));
            }
        }
    }

    /** Clears all positions of some generations. */
    void clear(long generations) {
        // once for each lane of a word
        long bits = Long.divideUnsigned(-1L, laneMask) * generations;
        for (long i = FilterLayout.HEADER_WORDS; i < words.size(); i++) {
            clearBits(i, bits);
        }
    }

    private void setBits(long index, long bits) {
        long word = words.getVolatile(index);
        while ((word & bits) != bits && !words.compareAndSet(index, word, word | bits)) {
            word = words.getVolatile(index);
        }
    }

    private void clearBits(long index, long bits) {
        long word = words.getVolatile(index);
        while ((word & bits) != 0 && !words.compareAndSet(index, word, word & ~bits)) {
            word = words.getVolatile(index);
        }
    }

    private long firstWord(long number) {
        return FilterLayout.HEADER_WORDS + ProbeHash.line(number, lines) * FilterLayout.LINE_WORDS;
    }

    private int slot(long number, int probe) {
        return (int) (number >>> (probe * slotBits)) & ((1 << slotBits) - 1);
    }

    /** Where the slot's lane begins in its word. */
    private int shift(int slot) {
        return (slot & ((1 << lanesOfWordLog2) - 1)) << laneBitsLog2;
    }
}
