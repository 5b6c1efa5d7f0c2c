package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/**
 * An age-partitioned Bloom filter: k + l slices of bits in the order of their age, an element is put in the k youngest, and
 * k neighbouring slices that have it make it present. Each period the oldest slice is emptied and becomes the youngest.
 *
 * <p>Source: Shtul, Baquero and Almeida, "Age-partitioned Bloom filters", arXiv 2001.03147, 2020. The paper shifts the slices
 * after a number of elements; here it is after a time, since the window is a time: l periods are a window.
 */
final class AgePartitionedBloomFilter extends OneByOne {

    private static final int MOST_HASHES = 24;

    /** The numbers l that are tried. */
    private static final int[] OLDER = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50};

    private final Shape shape;
    private final int period;
    private final int slices;

    /** The slices one after the other, each of whole words. */
    private final long[] words;

    private final int wordsOfSlice;
    private final long bitsOfSlice;

    /** The youngest slice; the next older ones follow it, the first one follows the last. */
    private int youngest;

    /**
     * The parameters of the paper.
     *
     * @param hashes k, the slices that an element is put in
     * @param older l, the periods for which every element is surely found
     * @param bits m, the bits of a slice
     */
    record Shape(int hashes, int older, long bits) {

        int slices() {
            return hashes + older;
        }

        /**
         * The false positive probability at the end of a period, where it is highest: that k neighbours among the slices have a
         * bit set that an absent element asks for. The slice of age i has the elements of i + 1 periods, and of k at most.
         */
        double highestFpp(double elementsOfPeriod) {
            return fpp(age -> {
                double elements = Math.min(age + 1, hashes) * elementsOfPeriod;
                return -Math.expm1(elements * Math.log1p(-1.0 / bits));
            });
        }

        /** The mean over the ends of all periods of a stream from the second window on. */
        private double meanFpp(Profile profile) {
            int period = Demand.period(older);
            double sum = 0;
            int ends = 0;
            for (int end = Demand.SLICES + period; end <= profile.slices(); end += period) {
                int now = end;
                sum += fpp(age -> {
                    int from = now - (age + 1) * period;
                    long elements = profile.clicks(from, Math.min(now, from + hashes * period));
                    return -Math.expm1(elements * Math.log1p(-1.0 / bits));
                });
                ends++;
            }
            return sum / ends;
        }

        /** The probability that k neighbours among the slices are set at random bits, if of each so large a part is set. */
        double fpp(IntToDoubleFunction fillByAge) {
            double[] run = new double[hashes]; // the probability that so many slices in a row end at the last one
            run[0] = 1;
            double found = 0;
            for (int age = 0; age < slices(); age++) {
                double fill = fillByAge.applyAsDouble(age);
                found += run[hashes - 1] * fill;
                double ended = 0;
                for (int length = hashes - 1; length >= 0; length--) {
                    ended += run[length] * (1 - fill);
                    run[length] = length == 0 ? ended : run[length - 1] * fill;
                }
            }
            return found;
        }

        /** The bits of a slice, in the paper's recommendation: half of them are set in a full one. */
        static long halfFull(int hashes, double elementsOfPeriod) {
            return (long) Math.ceil(hashes * elementsOfPeriod / Math.log(2));
        }

        private long wordsOfSlice() {
            return (bits + Long.SIZE - 1) / Long.SIZE;
        }

        long bytes() {
            return wordsOfSlice() * slices() * Long.BYTES;
        }
    }

    /** The shape with the fewest false positives in this stream that takes so much memory. */
    static Shape best(Demand demand, long bytes) {
        Shape best = new Shape(1, 1, Long.SIZE);
        double fewest = Double.MAX_VALUE;
        for (int older : OLDER) {
            for (int hashes = 1; hashes <= MOST_HASHES; hashes++) {
                long bits = bytes / Long.BYTES / (hashes + older) * Long.SIZE;
                if (bits == 0) {
                    continue;
                }
                Shape shape = new Shape(hashes, older, bits);
                double falsePositives = shape.meanFpp(demand.profile());
                if (falsePositives < fewest) {
                    fewest = falsePositives;
                    best = shape;
                }
            }
        }
        return best;
    }

    AgePartitionedBloomFilter(Shape shape) {
        this.shape = shape;
        period = Demand.period(shape.older);
        slices = shape.slices();
        wordsOfSlice = Math.toIntExact(shape.wordsOfSlice());
        bitsOfSlice = shape.bits;
        words = new long[slices * wordsOfSlice];
    }

    @Override
    public void advance(int slice) {
        if (slice > 0 && slice % period == 0) {
            shift();
        }
    }

    void shift() {
        youngest = youngest == 0 ? slices - 1 : youngest - 1;
        Arrays.fill(words, youngest * wordsOfSlice, (youngest + 1) * wordsOfSlice, 0);
    }

    /** The word of the slice that is looked at first; nothing waits for those that are only written. */
    @Override
    long load(OperationId click) {
        int slice = slice(shape.older);
        return words[slice * wordsOfSlice + (int) (Hashes.position(click, slice, bitsOfSlice) >>> 6)];
    }

    @Override
    boolean isDuplicate(OperationId click) {
        if (mightContain(click)) {
            return true;
        }
        put(click);
        return false;
    }

    void put(OperationId click) {
        for (int age = 0; age < shape.hashes; age++) {
            int slice = slice(age);
            long bit = Hashes.position(click, slice, bitsOfSlice);
            words[slice * wordsOfSlice + (int) (bit >>> 6)] |= 1L << bit;
        }
    }

    /**
     * Looks for k neighbours. It begins with the k oldest slices, from the youngest of them on. A slice that does not have the
     * element rules out all rows of k with it, so the next row ends before it; of that row the oldest slices may be known already.
     */
    boolean mightContain(OperationId click) {
        int begin = shape.older;
        int known = 0;
        while (begin >= 0) {
            int found = 0;
            while (found < shape.hashes - known && has(click, begin + found)) {
                found++;
            }
            if (found == shape.hashes - known) {
                return true;
            }
            begin += found - shape.hashes;
            known = found;
        }
        return false;
    }

    /** Whether the slice of an age has an element's bit. */
    boolean has(OperationId click, int age) {
        int slice = slice(age);
        long bit = Hashes.position(click, slice, bitsOfSlice);
        return (words[slice * wordsOfSlice + (int) (bit >>> 6)] >>> bit & 1) == 1;
    }

    private int slice(int age) {
        int slice = youngest + age;
        return slice < slices ? slice : slice - slices;
    }

    @Override
    public long bytes() {
        return shape.bytes();
    }
}
