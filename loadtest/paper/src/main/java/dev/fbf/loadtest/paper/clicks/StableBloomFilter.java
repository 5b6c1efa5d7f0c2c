package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;

/**
 * A stable Bloom filter: each element makes the filter forget a little, so that its fill and its false positive probability
 * do not grow. It forgets by chance, at no certain time.
 *
 * <p>Source: Deng and Rafiei, "Approximately detecting duplicates for streaming data using stable Bloom filters", SIGMOD 2006.
 * Of every element K cells are read: it is a duplicate if none is zero. Then P cells are decremented, neighbours from a random
 * one on, and the K cells are set to the highest value.
 */
final class StableBloomFilter extends OneByOne {

    private static final int MOST_BITS = 3;
    private static final int MOST_HASHES = 12;

    /** The gaps between duplicates for which the model is computed. */
    private static final int GAPS = 256;

    private final Shape shape;
    private final int cellsOfWord;
    private final long cellMask;
    private final long[] words;
    private final SplittableRandom random;

    /**
     * The parameters of the paper.
     *
     * @param cells m
     * @param bits d, the bits of a cell, whose highest value is Max = 2^d − 1
     * @param hashes K
     * @param decrements P
     */
    record Shape(long cells, int bits, int hashes, int decrements) {

        int max() {
            return (1 << bits) - 1;
        }

        /** The lowest share of cells that are zero in the long run: equation 9's limit, the stable point. */
        double zeros() {
            return Math.pow(1 / (1 + 1 / (decrements * (1.0 / hashes - 1.0 / cells))), max());
        }

        /** The upper bound of the false positive probability, which it approaches in the long run. */
        double highestFpp() {
            return Math.pow(1 - zeros(), hashes);
        }

        /** The P with which the false positive probability comes closest to a given one. */
        static int decrements(long cells, int bits, int hashes, double fpp) {
            double ofCell = 1 - Math.pow(fpp, 1.0 / hashes);
            double p = 1 / ((1 / Math.pow(ofCell, 1.0 / ((1 << bits) - 1)) - 1) * (1.0 / hashes - 1.0 / cells));
            return (int) Math.max(1, Math.min(cells, Math.round(p)));
        }

        /**
         * The probability that an element is forgotten when so many others have come after it.
         *
         * <p>A cell is zero if it has been decremented Max times since it was last set, by this element or by a later one. Both
         * happen at random, at the rates a = P / m and b = K / m for each element that comes, so the probability is (a / (a +
         * b))^Max, times that of Max events of either kind among those elements.
         */
        double forgotten(double elements) {
            double a = (double) decrements / cells;
            double b = (double) hashes / cells;
            double events = (a + b) * elements;
            double term = Math.exp(-events);
            double fewer = 0;
            for (int i = 0; i < max(); i++) {
                fewer += term;
                term *= events / (i + 1);
            }
            double zero = Math.pow(a / (a + b), max()) * (1 - fewer);
            return 1 - Math.pow(1 - zero, hashes);
        }

        long bytes() {
            return (cells + cellsOfWord() - 1) / cellsOfWord() * Long.BYTES;
        }

        private int cellsOfWord() {
            return Long.SIZE / bits;
        }
    }

    StableBloomFilter(Shape shape, long seed) {
        this.shape = shape;
        cellsOfWord = shape.cellsOfWord();
        cellMask = (1L << shape.bits) - 1;
        words = new long[Math.toIntExact(shape.bytes() / Long.BYTES)];
        random = new SplittableRandom(seed);
    }

    /** The shape that makes the fewest errors with so much memory: found by the model, at this load and with the gaps of the stream. */
    static Shape best(Demand demand, long bytes) {
        SplittableRandom random = new SplittableRandom(1);
        double[] elementsBetween = DoubleStream.generate(() -> Gaps.draw(random))
                .limit(GAPS)
                .map(seconds -> seconds / Demand.WINDOW.toSeconds() * demand.arrivals())
                .toArray();
        Shape best = new Shape(bytes * Byte.SIZE, 1, 1, 1);
        double fewest = Double.MAX_VALUE;
        for (int bits = 1; bits <= MOST_BITS; bits++) {
            long cells = bytes / Long.BYTES * (Long.SIZE / bits);
            for (int hashes = 1; hashes <= MOST_HASHES; hashes++) {
                for (double fpp = 0.3; fpp > 1e-7; fpp /= 1.5) {
                    Shape shape = new Shape(cells, bits, hashes, Shape.decrements(cells, bits, hashes, fpp));
                    double errors = errors(shape, demand, elementsBetween);
                    if (errors < fewest) {
                        fewest = errors;
                        best = shape;
                    }
                }
            }
        }
        return best;
    }

    private static double errors(Shape shape, Demand demand, double[] elementsBetween) {
        double forgotten = 0;
        for (double elements : elementsBetween) {
            forgotten += shape.forgotten(elements);
        }
        return (1 - demand.duplicates()) * shape.highestFpp()
                + demand.duplicates() * forgotten / elementsBetween.length;
    }

    /** Time does not make it forget. */
    @Override
    public void advance(int slice) {}

    @Override
    long load(OperationId click) {
        long loaded = 0;
        for (int hash = 0; hash < shape.hashes; hash++) {
            loaded ^= words[word(Hashes.position(click, hash, shape.cells))];
        }
        return loaded;
    }

    @Override
    boolean isDuplicate(OperationId click) {
        boolean duplicate = true;
        for (int hash = 0; hash < shape.hashes && duplicate; hash++) {
            duplicate = get(Hashes.position(click, hash, shape.cells)) != 0;
        }
        decrement();
        for (int hash = 0; hash < shape.hashes; hash++) {
            long cell = Hashes.position(click, hash, shape.cells);
            words[word(cell)] |= cellMask << shift(cell);
        }
        return duplicate;
    }

    private void decrement() {
        long cell = random.nextLong(shape.cells);
        for (int i = 0; i < shape.decrements; i++) {
            if (get(cell) != 0) {
                words[word(cell)] -= 1L << shift(cell);
            }
            cell = cell + 1 == shape.cells ? 0 : cell + 1;
        }
    }

    private long get(long cell) {
        return words[word(cell)] >>> shift(cell) & cellMask;
    }

    private int word(long cell) {
        return (int) (cell / cellsOfWord);
    }

    private int shift(long cell) {
        return (int) (cell % cellsOfWord) * shape.bits;
    }

    /** The share of cells that are zero. */
    double zeros() {
        long zeros = 0;
        for (long cell = 0; cell < shape.cells; cell++) {
            zeros += get(cell) == 0 ? 1 : 0;
        }
        return (double) zeros / shape.cells;
    }

    @Override
    public long bytes() {
        return shape.bytes();
    }
}
