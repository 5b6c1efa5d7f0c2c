package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;

/**
 * A stream of clicks in the order of their arrival, of which it is known which are duplicates.
 *
 * <p>A click is one of a user on an impression of an advertisement, and its id is made of these three. Its duplicates have
 * the same id. Users and advertisements are zipfian: of a million users rank r clicks in proportion to r to the power of −0.8,
 * of ten thousand advertisements rank r is clicked in proportion to 1 / r; in a {@linkplain Bursts burst} half of the clicks
 * are on one of them. That is the popularity of pages and of words; a structure that hashes the ids does not notice it.
 *
 * <p>A click has a duplicate with a probability that gives the stated share of duplicates, and each duplicate has another one
 * three times in ten, {@linkplain Gaps some time} later. The share of duplicates comes out lower by a few hundredths of itself,
 * because none comes later than {@link Gaps#LONGEST} after its click. The same seed gives the same stream.
 */
final class ClickStream {

    private static final int USERS = 1_000_000;
    private static final double EXPONENT_OF_USERS = 0.8;
    private static final int ADVERTISEMENTS = 10_000;
    private static final double EXPONENT_OF_ADVERTISEMENTS = 1;
    private static final double IN_BURST_ON_ONE = 0.5;
    private static final double ANOTHER = 0.3;

    /** An arrival, while they are sorted: its time, in parts of a slice, and the number of its click. */
    private static final int PARTS_OF_SLICE = 1 << 16;

    private static final int CLICK_BITS = 28;

    /** The id of each click, without duplicates. */
    private final long[] high;

    private final long[] low;

    /** Of each arrival the number of its click. */
    private final int[] arrivals;

    private final BitSet duplicates;

    /** Of each slice the first arrival, and behind the last slice the number of arrivals. */
    private final int[] begins;

    private final Demand demand;

    private ClickStream(long[] high, long[] low, long[] sorted, int slices) {
        this.high = high;
        this.low = low;
        arrivals = new int[sorted.length];
        duplicates = new BitSet(sorted.length);
        begins = new int[slices + 1];
        BitSet seen = new BitSet(high.length);
        int[] clicksOfSlice = new int[slices];
        int slice = 0;
        for (int i = 0; i < sorted.length; i++) {
            int click = (int) (sorted[i] & (1 << CLICK_BITS) - 1);
            int sliceOfClick = (int) ((sorted[i] >>> CLICK_BITS) / PARTS_OF_SLICE);
            while (slice < sliceOfClick) {
                begins[++slice] = i;
            }
            arrivals[i] = click;
            duplicates.set(i, seen.get(click));
            clicksOfSlice[slice] += seen.get(click) ? 0 : 1;
            seen.set(click);
        }
        Arrays.fill(begins, slice + 1, begins.length, sorted.length);
        double windows = (double) slices / Demand.SLICES;
        Profile profile = new Profile(clicksOfSlice);
        demand = new Demand(
                profile,
                profile.mostInWindow(),
                sorted.length / windows,
                (double) duplicates.cardinality() / sorted.length);
    }

    /**
     * Generates a stream.
     *
     * @param clicksInWindow the clicks of a window, on average, without their duplicates
     * @param windows how long the stream is
     * @param shareOfDuplicates among all arrivals
     */
    static ClickStream generate(int clicksInWindow, int windows, double shareOfDuplicates, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int slices = windows * Demand.SLICES;
        // the bursts and the clicks of a seed do not depend on the share
        Bursts bursts = new Bursts(random.split());
        Ids ids = new Ids(random.split());
        Repeats repeats = new Repeats(shareOfDuplicates, random.split());
        LongList arrivals = new LongList();
        for (int slice = 0; slice < slices; slice++) {
            double expected = (double) clicksInWindow / Demand.SLICES * bursts.next();
            long count = Math.max(0, Math.round(expected + Math.sqrt(expected) * random.nextGaussian()));
            for (long i = 0; i < count; i++) {
                double time = slice + random.nextDouble();
                int click = ids.add(bursts.isBurst());
                arrivals.add(arrival(time, click));
                repeats.of(time, slices, again -> arrivals.add(arrival(again, click)));
            }
        }
        long[] sorted = arrivals.toArray();
        Arrays.sort(sorted);
        return new ClickStream(ids.high.toArray(), ids.low.toArray(), sorted, slices);
    }

    private static long arrival(double time, int click) {
        return (long) (time * PARTS_OF_SLICE) << CLICK_BITS | click;
    }

    Demand demand() {
        return demand;
    }

    int slices() {
        return begins.length - 1;
    }

    /** The first arrival of a slice; of the slice behind the last one, the number of arrivals. */
    int begin(int slice) {
        return begins[slice];
    }

    /** Whether an arrival is a duplicate. */
    boolean isDuplicate(int arrival) {
        return duplicates.get(arrival);
    }

    /** The number of an arrival's click, which its duplicates share. */
    int click(int arrival) {
        return arrivals[arrival];
    }

    /** The ids of all arrivals of some slices, each in an object of its own, as a server has it for each request. */
    OperationId[] ids(int fromSlice, int toSlice) {
        OperationId[] ids = new OperationId[begins[toSlice] - begins[fromSlice]];
        for (int i = 0; i < ids.length; i++) {
            int click = arrivals[begins[fromSlice] + i];
            ids[i] = new OperationId(high[click], low[click]);
        }
        return ids;
    }

    /** The ids of clicks. */
    private static final class Ids {

        private final LongList high = new LongList();
        private final LongList low = new LongList();
        private final Zipf users = new Zipf(USERS, EXPONENT_OF_USERS);
        private final Zipf advertisements = new Zipf(ADVERTISEMENTS, EXPONENT_OF_ADVERTISEMENTS);
        private final SplittableRandom random;
        private final long secret;
        private long impressions;

        private Ids(SplittableRandom random) {
            this.random = random;
            secret = random.nextLong();
        }

        /** Returns the number of the click. */
        private int add(boolean burst) {
            long user = users.draw(random);
            long advertisement = burst && random.nextDouble() < IN_BURST_ON_ONE ? 0 : advertisements.draw(random);
            impressions++;
            long mixed = mix(secret ^ (user << Integer.SIZE | advertisement));
            high.add(mix(mixed + impressions));
            low.add(mix(mixed ^ mix(impressions)));
            return high.size() - 1;
        }

        /** The finalizer of SplitMix64: it stands for the digest that an id is in an application. */
        private static long mix(long z) {
            long y = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
            y = (y ^ y >>> 27) * 0x94D049BB133111EBL;
            return y ^ y >>> 31;
        }
    }

    /** The duplicates of a click. */
    private static final class Repeats {

        private final double first;
        private final SplittableRandom random;

        private Repeats(double share, SplittableRandom random) {
            // a click has first / (1 - ANOTHER) duplicates on average
            first = share / (1 - share) * (1 - ANOTHER);
            this.random = random;
        }

        private void of(double time, int slices, DoubleConsumer duplicate) {
            double last = Math.min(slices, time + Gaps.LONGEST / Demand.SLICE_SECONDS);
            double again = time;
            for (double likely = first; random.nextDouble() < likely; likely = ANOTHER) {
                again += Gaps.draw(random) / Demand.SLICE_SECONDS;
                if (again >= last) {
                    return;
                }
                duplicate.accept(again);
            }
        }
    }
}
