package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterInEventTime;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.Optional;

/** fbf's filter off the heap, as its planner sizes it. */
final class ForgetfulFilter extends OneByOne {

    private static final double HIGHEST_FPP = 0.1;
    private static final double LOWEST_FPP = 1e-9;
    private static final double PRECISION = 1.01;

    private final FilterInEventTime clock;
    private final ForgetfulBloomFilter filter;

    ForgetfulFilter(FilterPlan plan) {
        clock = new FilterInEventTime(plan);
        filter = clock.filter();
    }

    /** The plan with the lowest false positive probability that takes no more than so much memory; empty if none does. */
    static Optional<FilterPlan> plan(Demand demand, long bytes) {
        FilterPlan least = plan(demand, HIGHEST_FPP);
        double low = LOWEST_FPP;
        double high = HIGHEST_FPP;
        while (high / low > PRECISION) {
            double fpp = Math.sqrt(low * high);
            FilterPlan plan = plan(demand, fpp);
            if (plan.bytes() <= bytes) {
                high = fpp;
                least = plan;
            } else {
                low = fpp;
            }
        }
        return Optional.of(least).filter(plan -> plan.bytes() <= bytes);
    }

    private static FilterPlan plan(Demand demand, double fpp) {
        double clicksPerSecond = (double) demand.clicks() / Demand.WINDOW.toSeconds();
        return new FilterSizing(clicksPerSecond, Demand.WINDOW, fpp).plan(false);
    }

    @Override
    public void advance(int slice) {
        clock.advanceTo(slice * Demand.SLICE_MILLIS);
    }

    @Override
    boolean isDuplicate(OperationId click) {
        if (filter.mightContain(click)) {
            return true;
        }
        filter.put(click);
        return false;
    }

    @Override
    public long bytes() {
        return filter.plan().bytes();
    }
}
