package dev.fbf.core.filter;

import dev.fbf.core.plan.FilterPlan;
import java.util.Arrays;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** Decision when an arena needs a larger successor. */
final class GrowthDecision {

    /*
     * The arenas of a scope share the stated false positive probability. Each new arena is planned for half of the probability that the
     * others leave, so that some is always left for the next one; dropped arenas return their shares.
     *
     * An arena keeps within its share while no generation gets more elements than its capacity. So the next arena comes
     *   - when the newest generation is above 95 % of its capacity, and passes 105 % at the rate of the last two samples; or
     *   - when measurements show that the arena has used one and a half times its share.
     * When the load jumps, samples become more frequent, so that few puts come between two samples.
     *
     * The puts decide whether it must grow; the sustained rate decides how far. The new arena is planned for a fifth more than the rate
     * that several samples agree on, or that the fullest generation shows: a burst is not a rate. It is at most four times as large; a
     * higher load is reached in equal steps.
     */
    private static final double HEADROOM = 1.2;

    private static final double MAX_STEP = 4;
    private static final double OVERFULL = 1.05;
    private static final double OVERUSED = 1.5;

    /** Fraction of a generation's capacity that is reserved for puts until the next arena exists. */
    private static final double RESERVE = 0.1;

    /** Maximum fraction of the capacity that is put between two samples, if the shortest interval allows it. */
    private static final double UNSEEN = 0.05;

    /** The number of consecutive samples that must show a rate. */
    private static final int SAMPLES = 3;

    static final long MIN_MILLIS = 10;

    private final double capacity;

    /** Elements per millisecond between the last samples, the latest first. */
    private final double[] rates = new double[SAMPLES];

    /** The number of elements in the newest generation at the last sample; NaN before the first. */
    private double lastCount = Double.NaN;

    GrowthDecision(FilterPlan plan) {
        capacity = plan.capacity();
    }

    /**
     * Evaluates a sample. Called by one thread at a time.
     *
     * @return the plan of an arena that must take over; null for none
     */
    @Nullable FilterPlan next(FilterStats stats, long millisSinceLastSample) {
        ArenaStats arena = stats.arenas().get(0);
        note(arena, millisSinceLastSample);
        double periodMillis = arena.plan().period().toMillis();
        double left = Math.max(0, periodMillis - age(arena));
        double expected = lastCount + Math.min(Math.min(rates[0], rates[1]) * left, RESERVE * capacity);
        double share = arena.plan().sizing().falsePositiveProbability();
        if (expected <= OVERFULL * capacity && arena.estimatedFpp() <= OVERUSED * share) {
            return null;
        }
        double free = Math.max(stats.targetFpp() / 16, stats.targetFpp() - stats.estimatedFpp());
        double lasting = Arrays.stream(rates).min().orElseThrow() * periodMillis;
        double most = Collections.max(arena.generations());
        double planned = capacity * step(HEADROOM * Math.max(lasting, most) / capacity);
        double operationsPerSecond =
                1000 * planned / periodMillis / arena.plan().elementsPerOperation();
        return arena.plan().stated().planArena(operationsPerSecond, free);
    }

    /** Returns whether the last samples show no puts. */
    boolean isIdle() {
        return Arrays.stream(rates).allMatch(rate -> rate == 0);
    }

    /** Returns the time until the next sample, which is at most {@code usual} milliseconds. */
    long millisToNextSample(long usual) {
        return Math.max(MIN_MILLIS, (long) Math.min((double) usual, UNSEEN * capacity / rates[0]));
    }

    /** Returns the first of the fewest equal steps whose product is {@code factor}. */
    private static double step(double factor) {
        double steps = Math.ceil(Math.log(factor) / Math.log(MAX_STEP));
        return steps > 1 ? Math.pow(factor, 1 / steps) : Math.max(1, factor);
    }

    /** Records the number of elements in the newest generation, and the rate since the last sample. */
    private void note(ArenaStats arena, long millisSinceLastSample) {
        double count = arena.generations().get(0);
        double put = count - lastCount;
        if (age(arena) < millisSinceLastSample) {
            // a refresh since then made the previously newest generation the second
            put += arena.generations().get(1);
        }
        System.arraycopy(rates, 0, rates, 1, SAMPLES - 1);
        rates[0] = Double.isNaN(lastCount) ? 0 : Math.max(0, put) / Math.max(MIN_MILLIS, millisSinceLastSample);
        lastCount = count;
    }

    private static double age(ArenaStats arena) {
        return arena.sinceRefresh().toMillis();
    }
}
