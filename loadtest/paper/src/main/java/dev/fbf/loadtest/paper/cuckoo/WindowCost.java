package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * How many bits each operation of a window takes: of the forgetful filter, and of cuckoo filters, where something has to
 * know when to delete what.
 */
final class WindowCost {

    /** The first 128 bits of a digest, as fbf names an operation. */
    static final int ID_BITS = 128;

    /** Eight tags: seven periods that are remembered, six of which are the window, and one that is emptied. */
    static final int TAG_BITS = 3;

    static final int PERIODS_OF_WINDOW = 6;

    static final int CUCKOO_SLOTS = 4;

    /** The part of its slots that a cuckoo filter of 4 slots a bucket fills (Fan et al. 2014). */
    static final double CUCKOO_LOAD = 0.95;

    /** {@code 0} where nothing else is needed. */
    private static final int NOTHING = 0;

    /**
     * Bits an operation, under each way to expire.
     *
     * @param filter the filter alone
     * @param ids with the ids of all operations of the window in the order of their expiry
     * @param packed with what a deletion needs of them: a fingerprint, and for a cuckoo filter a bucket
     * @param tags with the period in each entry: all entries are read once a period; for up to a period longer they take
     *     room
     */
    record Row(String name, double filter, double ids, double packed, double tags) {

        double least() {
            return Math.min(ids, Math.min(packed, tags));
        }

        boolean isForgetful() {
            return ids == filter;
        }
    }

    /** A place where users are. */
    record Place(String name, double rate, Duration window) {

        long operations() {
            return Math.round(rate * window.toSeconds());
        }
    }

    static final List<Place> PLACES = List.of(
            new Place("10 operations/s, 10 minutes", 10, Duration.ofMinutes(10)),
            new Place("1,000 operations/s, 10 minutes (the default)", 1_000, Duration.ofMinutes(10)),
            new Place("10,000 operations/s, 1 hour", 10_000, Duration.ofHours(1)));

    static final List<Double> PROBABILITIES = List.of(1e-3, 1e-6, 1e-9);

    /** An I2CF and the part of its slots that it fills before it first refuses an element. */
    private record Loaded(Shape shape, double load) {

        static Loaded of(Shape shape, int buckets) {
            double load = LongStream.rangeClosed(1, 3)
                    .parallel()
                    .mapToDouble(seed -> load(shape, buckets, seed))
                    .average()
                    .orElseThrow();
            return new Loaded(shape, load);
        }

        private static double load(Shape shape, int buckets, long seed) {
            IndexIndependentCuckooFilter filter = new IndexIndependentCuckooFilter(shape, buckets, seed);
            Fingerprint fingerprint = new Fingerprint(shape.fingerprintBits());
            long element = 0;
            while (filter.insert(fingerprint.of(element))) {
                element++;
            }
            return (double) filter.size() / filter.slots();
        }
    }

    private final Loaded papers;
    private final Loaded onePoint;
    private final List<Loaded> candidates = new ArrayList<>();

    /** @param buckets of the I2CFs that are filled to see how much fits in */
    WindowCost(int buckets) {
        Shape shape = Shape.PAPER.withFingerprintBits(50);
        papers = Loaded.of(shape, buckets);
        onePoint = Loaded.of(shape.withVirtualNodes(1), buckets);
        for (int k : new int[] {2, 4}) {
            for (int b : new int[] {4, 8, 16}) {
                for (int v : new int[] {1, 2}) {
                    candidates.add(
                            Loaded.of(shape.withCandidates(k).withSlots(b).withVirtualNodes(v), buckets));
                }
            }
        }
    }

    /** The part of its slots that the paper's I2CF fills. */
    double papersLoad() {
        return papers.load;
    }

    List<Row> rows(Place place, double fpp) {
        long n = place.operations();
        FilterSizing sizing = new FilterSizing(place.rate, place.window, fpp);
        Loaded best = candidates.stream()
                .min(Comparator.comparingDouble((ToDoubleFunction<Loaded>)
                        of -> consistent("", of, n, fpp).least()))
                .orElseThrow();
        return List.of(
                forgetful("forgetful filter, as users get it", sizing.plan(), n),
                forgetful("forgetful filter, fixed size", sizing.plan(false), n),
                cuckoo("cuckoo filter, next power of two", (double) n, fpp, false),
                cuckoo("cuckoo filter, where its size fits", (double) n, fpp, true),
                consistent("CCF, the paper's parameters", papers, n, fpp),
                consistent("CCF, v = 1", onePoint, n, fpp),
                consistent(
                        "CCF, cheapest found: k = " + best.shape.candidates() + ", b = " + best.shape.slots() + ", v = "
                                + best.shape.virtualNodes(),
                        best,
                        n,
                        fpp));
    }

    private static Row forgetful(String name, FilterPlan plan, long n) {
        double bits = 8.0 * plan.bytes() / n;
        return new Row(name, bits, bits, bits, bits);
    }

    /** f of a cuckoo filter: the smallest whose model (section II) keeps to the probability. */
    static int cuckooBits(double fpp) {
        int bits = 1;
        while (CuckooFilter.modelledFpp(bits, CUCKOO_SLOTS) > fpp) {
            bits++;
        }
        return bits;
    }

    static int cuckooBuckets(double entries) {
        return Math.toIntExact(ceilingPowerOfTwo((long) Math.ceil(entries / CUCKOO_LOAD / CUCKOO_SLOTS)));
    }

    private static long ceilingPowerOfTwo(long value) {
        return value <= 1 ? 1 : Long.highestOneBit(value - 1) << 1;
    }

    private static Row cuckoo(String name, double n, double fpp, boolean fits) {
        int bits = cuckooBits(fpp);
        double slots = fits ? n / CUCKOO_LOAD : (double) cuckooBuckets(n) * CUCKOO_SLOTS;
        double more = fits ? n * longer() / CUCKOO_LOAD : (double) cuckooBuckets(n * longer()) * CUCKOO_SLOTS;
        double filter = slots * bits / n;
        int bucketBits = Shape.bits(cuckooBuckets(n));
        return new Row(name, filter, filter + ID_BITS, filter + bits + bucketBits, more * (bits + TAG_BITS) / n);
    }

    /** How much longer than the window an entry with a tag may stay. */
    static double longer() {
        return (PERIODS_OF_WINDOW + 1.0) / PERIODS_OF_WINDOW;
    }

    /** f of an I2CF or a CCF: any of the n stored fingerprints makes a false positive. */
    static int consistentBits(long n, double fpp) {
        return (int) Math.ceil(Math.log(n / fpp) / Math.log(2));
    }

    private static Row consistent(String name, Loaded loaded, long n, double fpp) {
        int bits = consistentBits(n, fpp);
        double filter = filterBits(loaded, n, bits, NOTHING);
        return new Row(
                name,
                filter,
                filter + ID_BITS,
                filter + bits,
                longer()
                        * filterBits(
                                loaded,
                                Math.round(n * longer()),
                                consistentBits(Math.round(n * longer()), fpp),
                                TAG_BITS));
    }

    private static double filterBits(Loaded loaded, long entries, int bits, int tagBits) {
        double buckets = Math.ceil(entries / loaded.load / loaded.shape.slots());
        double ring = loaded.shape.ringBits((int) Math.min(buckets, Integer.MAX_VALUE));
        return buckets * ((double) loaded.shape.slots() * (bits + tagBits) + ring) / entries;
    }
}
