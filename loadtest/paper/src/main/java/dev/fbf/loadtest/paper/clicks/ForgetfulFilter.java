package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterInEventTime;
import dev.fbf.core.plan.ExactModel;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.stream.IntStream;

/** fbf's filter off the heap, as its planner sizes it. */
final class ForgetfulFilter implements Contender {

    /** N of the fullest lanes of 4 to 64 bits. */
    private static final int[] PAST = {1, 5, 13, 29, 61};

    private static final double HIGHEST_FPP = 0.1;
    private static final double LOWEST_FPP = 1e-9;
    private static final double PRECISION = 1.01;

    private final FilterInEventTime filter;

    ForgetfulFilter(FilterPlan plan) {
        filter = new FilterInEventTime(plan);
    }

    /**
     * The plan for the rate of the fullest window with the lowest false positive probability that takes no more than so much memory;
     * empty if none does. The planner takes the rate for steady.
     */
    static Optional<FilterPlan> steady(Demand demand, long bytes) {
        return lowestWithin(bytes, fpp -> sizing(demand, fpp).plan(false));
    }

    /** The same with the number of generations that has the fewest false positives in this stream, bursts included. */
    static Optional<FilterPlan> forBursts(Demand demand, long bytes) {
        return IntStream.of(PAST)
                .mapToObj(past -> lowestWithin(bytes, fpp -> sizing(demand, fpp).plan(Rule.SINGLE, past)))
                .flatMap(Optional::stream)
                .min(Comparator.comparingDouble(plan -> falsePositives(demand, plan)));
    }

    private static FilterSizing sizing(Demand demand, double fpp) {
        return new FilterSizing((double) demand.clicks() / Demand.WINDOW.toSeconds(), Demand.WINDOW, fpp);
    }

    private static Optional<FilterPlan> lowestWithin(long bytes, DoubleFunction<FilterPlan> planner) {
        FilterPlan least = planner.apply(HIGHEST_FPP);
        double low = LOWEST_FPP;
        double high = HIGHEST_FPP;
        while (high / low > PRECISION) {
            double fpp = Math.sqrt(low * high);
            FilterPlan plan = planner.apply(fpp);
            if (plan.bytes() <= bytes) {
                high = fpp;
                least = plan;
            } else {
                low = fpp;
            }
        }
        return Optional.of(least).filter(plan -> plan.bytes() <= bytes);
    }

    /** On average over the stream: most of them are those of the generations that hold a burst. */
    private static double falsePositives(Demand demand, FilterPlan plan) {
        int period = (int) Math.ceil((double) plan.period().toMillis() / Demand.SLICE_MILLIS);
        Spread spread = plan.spread();
        // of one full generation, and an empty one
        return plan.liveGenerations()
                * demand.mean(
                        period, clicks -> ExactModel.single(spread, clicks * spread.lines() / plan.lines(), 0, 0));
    }

    @Override
    public void advance(int slice) {
        filter.advanceTo(slice * Demand.SLICE_MILLIS);
    }

    @Override
    public boolean[] decide(OperationId... clicks) {
        boolean[] duplicate = filter.putNew(clicks);
        for (int i = 0; i < duplicate.length; i++) {
            duplicate[i] = !duplicate[i];
        }
        return duplicate;
    }

    @Override
    public long bytes() {
        return filter.bytes();
    }
}
