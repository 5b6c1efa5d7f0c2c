package dev.fbf.core.filter;

import java.time.Duration;
import java.util.List;

/**
 * An arena: one file of a filter.
 *
 * @param plan what it is planned for and how it is laid out
 * @param superseded whether a later arena takes what is put, and this one is only asked until its window has passed
 * @param sinceRefresh how long ago the last refresh was
 * @param refreshDelay how late the last refresh was, or by how much the next is overdue, whichever is more; the time in
 *     which no process had the arena open is left out
 * @param estimatedFpp how often it is mistaken now, 0 to 1, from a sample
 * @param generations its live generations, the newest first
 */
public record ArenaStats(
        FilterPlan plan,
        boolean superseded,
        Duration sinceRefresh,
        Duration refreshDelay,
        double estimatedFpp,
        List<GenerationStats> generations) {

    /**
     * Returns how many elements the arena holds: an operation is one, and its request a part of one.
     *
     * @return about how many, from the fill of a sample; by the paper's rule without what the oldest generation alone
     *     may hold
     */
    public long approximateElementCount() {
        // by the paper's rule a generation also holds what the next newer one does but for the newest period
        int step = plan.rule().generationsOfPut();
        long sum = 0;
        for (int i = 0; i < generations.size(); i += step) {
            sum += generations.get(i).approximateElementCount();
        }
        return sum;
    }
}
