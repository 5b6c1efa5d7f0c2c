package dev.fbf.core.filter;

import dev.fbf.core.plan.FilterPlan;
import java.time.Duration;
import java.util.List;

/**
 * Statistics of an arena, one part of a filter.
 *
 * @param plan the load it is planned for, and its layout
 * @param sinceRefresh the time since the last refresh
 * @param estimatedFpp the current false positive probability, 0 to 1, estimated from a sample
 * @param generations the estimated number of elements in each live generation, the newest first
 */
public record ArenaStats(FilterPlan plan, Duration sinceRefresh, double estimatedFpp, List<Long> generations) {

    /**
     * Estimates the number of elements from the fill of a sample. An operation counts as one element, its request as a fraction of one.
     *
     * @return the estimate; under the paper's rule it may exclude elements that only the oldest generation still holds
     */
    public long approximateElementCount() {
        // by the paper's rule, each element is in two neighboring generations
        int step = plan.rule().generationsOfPut();
        long sum = 0;
        for (int i = 0; i < generations.size(); i += step) {
            sum += generations.get(i);
        }
        return sum;
    }
}
