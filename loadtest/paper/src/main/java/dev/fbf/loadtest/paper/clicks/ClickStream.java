package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import dev.fbf.loadtest.paper.Hash;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A stream of clicks in the order of their arrival, of which it is known which are duplicates.
 *
 * <p>Its ids are as random as digests: a structure that hashes them would not notice whose clicks they are. The duplicates of a click have
 * its id.
 *
 * <p>A click has a duplicate with a probability that gives the stated share of duplicates, and each duplicate has another one
 * three times in ten, {@linkplain Gaps some time} later. The share of duplicates comes out lower by a few hundredths of itself,
 * because none comes later than {@link Gaps#LONGEST} after its click. The same seed gives the same stream.
 */
final class ClickStream {

    private static final double ANOTHER = 0.3;

    /** An arrival, while they are sorted: its time, in parts of a slice, and the number of its click. */
    private static final int PARTS_OF_SLICE = 1 << 16;

    private static final int CLICK_BITS = 28;

    /** Decides the ids. */
    private final long secret;

    /** Of each arrival the number of its click. */
    private final int[] arrivals;

    private final BitSet duplicates;

    /** Of each slice the first arrival, and behind the last slice the number of arrivals. */
    private final int[] begins;

    private final Demand demand;

    private ClickStream(long secret, long[] sorted, int slices) {
        this.secret = secret;
        arrivals = new int[sorted.length];
        duplicates = new BitSet(sorted.length);
        begins = new int[slices + 1];
        BitSet seen = new BitSet();
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
        demand = new Demand(clicksOfSlice);
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
        long secret = random.split().nextLong();
        Repeats repeats = new Repeats(shareOfDuplicates, random.split());
        LongStream.Builder arrivals = LongStream.builder();
        int clicks = 0;
        for (int slice = 0; slice < slices; slice++) {
            double expected = (double) clicksInWindow / Demand.SLICES * bursts.next();
            long count = Math.max(0, Math.round(expected + Math.sqrt(expected) * random.nextGaussian()));
            for (long i = 0; i < count; i++) {
                double time = slice + random.nextDouble();
                int click = clicks++;
                arrivals.add(arrival(time, click));
                repeats.of(time, slices, again -> arrivals.add(arrival(again, click)));
            }
        }
        return new ClickStream(secret, arrivals.build().sorted().toArray(), slices);
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

    double shareOfDuplicates() {
        return (double) duplicates.cardinality() / arrivals.length;
    }

    /** The ids of all arrivals of a slice, each in an object of its own, as a server has it for each request. */
    OperationId[] ids(int slice) {
        return IntStream.range(begins[slice], begins[slice + 1])
                .mapToObj(arrival -> 2L * arrivals[arrival])
                .map(click -> new OperationId(Hash.mix(secret + click), Hash.mix(secret + click + 1)))
                .toArray(OperationId[]::new);
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
