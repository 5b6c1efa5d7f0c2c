package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;

/**
 * Sample of the lines. Operations choose their lines at random, so a few thousand lines suffice to estimate the fill of each generation and
 * the false positive probability, for every load.
 */
final class FillSample {

    private static final int MAX_LINES = 2048;

    private final Rule rule;
    private final Spread spread;
    private final long linesOfFilter;
    private final long lines;

    private final long[] sample;

    private final int notEmpty;

    /** The bit of a lane for each live generation, the oldest first. */
    private final int[] bitOfLane;

    /** The lowest bit of every lane of a word. */
    private final long lowestOfLanes;

    /** Number of lines per number of set slots, for each generation, without empty lines. */
    private final int[][] ofGeneration;

    FillSample(FilterPlan plan, Words words, int[] bitOfLane) {
        rule = plan.rule();
        spread = plan.spread();
        linesOfFilter = plan.lines();
        lines = Math.min(MAX_LINES, linesOfFilter);
        sample = new long[(int) lines * FilterLayout.LINE_WORDS];
        int kept = 0;
        for (int i = 0; i < lines; i++) {
            long line = i * linesOfFilter / lines;
            long anySet = 0;
            for (int word = 0; word < FilterLayout.LINE_WORDS; word++) {
                long bits = words.getVolatile(FilterLayout.HEADER_WORDS + line * FilterLayout.LINE_WORDS + word);
                sample[kept * FilterLayout.LINE_WORDS + word] = bits;
                anySet |= bits;
            }
            if (anySet != 0) {
                kept++;
            }
        }
        notEmpty = kept;
        lowestOfLanes = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - plan.laneBits()));
        this.bitOfLane = bitOfLane;
        ofGeneration = new int[bitOfLane.length][];
        for (int generation = 0; generation < bitOfLane.length; generation++) {
            ofGeneration[generation] = linesBySlotsSet(1L << generation);
        }
    }

    /** Returns the fraction of a generation's positions that are set, 0 to 1. */
    double fill(int generation) {
        long set = 0;
        for (int slots = 1; slots <= spread.slots(); slots++) {
            set += (long) slots * ofGeneration[generation][slots];
        }
        return (double) set / (lines * spread.slots());
    }

    /**
     * Estimates the number of elements in a generation: each misses a slot of its line with probability (1 − 1/S)^P,
     * and the number of elements in a line is Poisson distributed (Swamidass and Baldi, 2007, for lines).
     */
    double elements(int generation) {
        double missed = 1 - Math.min(fill(generation), 1 - 0.5 / (lines * spread.slots()));
        double setByOne = -Math.expm1(spread.probesPerLine() * Math.log1p(-1.0 / spread.slots()));
        return -Math.log(missed) * linesOfFilter / (spread.lines() * setByOne);
    }

    /**
     * Estimates the probability that an absent element is found by any of the rule's groups of generations. A group depends on its
     * predecessor if they share a generation, and hardly on the others.
     */
    double fpp() {
        long[] groups = rule.groups(bitOfLane.length);
        double before = found(groups[0]);
        double byNone = 1 - before;
        for (int i = 1; i < groups.length && byNone > 0; i++) {
            double here = found(groups[i]);
            boolean shared = (groups[i] & groups[i - 1]) != 0;
            double byBoth = shared ? found(groups[i] | groups[i - 1]) : here * before;
            byNone *= (1 - here - before + byBoth) / (1 - before);
            before = here;
        }
        return 1 - byNone;
    }

    /** Returns the probability that all of an element's probes are set in all generations of a group. */
    private double found(long group) {
        int[] linesWith =
                Long.bitCount(group) == 1 ? ofGeneration[Long.numberOfTrailingZeros(group)] : linesBySlotsSet(group);
        double sum = 0;
        for (int set = 1; set < linesWith.length; set++) {
            sum += linesWith[set] * Math.pow((double) set / spread.slots(), spread.probesPerLine());
        }
        return Math.pow(sum / lines, spread.lines());
    }

    private int[] linesBySlotsSet(long group) {
        int[] linesWith = new int[spread.slots() + 1];
        for (int line = 0; line < notEmpty; line++) {
            linesWith[slotsSet(line, group)]++;
        }
        return linesWith;
    }

    private int slotsSet(int line, long group) {
        int set = 0;
        for (int i = 0; i < FilterLayout.LINE_WORDS; i++) {
            long word = sample[line * FilterLayout.LINE_WORDS + i];
            // the lowest bit of each lane whose slot is set in all generations so far
            long inAll = lowestOfLanes;
            for (long left = group; left != 0; left &= left - 1) {
                inAll &= word >>> bitOfLane[Long.numberOfTrailingZeros(left)];
            }
            set += Long.bitCount(inAll);
        }
        return set;
    }
}
