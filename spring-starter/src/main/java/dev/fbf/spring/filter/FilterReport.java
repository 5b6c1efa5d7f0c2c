package dev.fbf.spring.filter;

import dev.fbf.core.filter.ArenaStats;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.GenerationStats;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.ScopeClaims;
import java.time.Duration;
import java.util.List;

/**
 * Report on the filter of a scope in filter mode.
 *
 * @param expectedOperationsPerSecond the stated rate
 * @param rememberedFor the minimum time for which it remembers an operation
 * @param inDoubt the number of the scope's operations in doubt
 * @param targetFpp the stated share of new operations that are false positives
 * @param estimatedFpp the current share of new operations that are false positives
 * @param fill the fraction of set positions in the fullest generation
 * @param approximateOperations the approximate number of operations in the filter
 * @param bytes its size in bytes
 * @param arenas its arenas, the newest first
 */
record FilterReport(
        double expectedOperationsPerSecond,
        Duration rememberedFor,
        int inDoubt,
        double targetFpp,
        double estimatedFpp,
        double fill,
        long approximateOperations,
        long bytes,
        List<ArenaReport> arenas) {

    static FilterReport of(ScopeClaims claims) {
        FilterStats stats = claims.filter().stats();
        FilterPlan plan = claims.filter().plan();
        return new FilterReport(
                plan.stated().expectedOperationsPerSecond(),
                plan.window(),
                claims.inDoubt(),
                stats.targetFpp(),
                stats.estimatedFpp(),
                stats.fill(),
                approximate(stats),
                stats.bytes(),
                stats.arenas().stream().map(ArenaReport::of).toList());
    }

    private static long approximate(FilterStats stats) {
        return Math.round(stats.arenas().stream()
                .mapToDouble(
                        arena -> arena.approximateElementCount() / arena.plan().elementsPerOperation())
                .sum());
    }

    /**
     * Report on an arena.
     *
     * @param bytes its size in bytes
     * @param superseded whether new operations go to a newer arena
     * @param period the time from one refresh to the next
     * @param sinceRefresh the time since the last refresh
     * @param refreshDelay the delay of the last refresh, or the time by which the next is overdue, whichever is longer
     * @param estimatedFpp the arena's current false positive probability, 0 to 1
     * @param generations its live generations, the newest first
     */
    record ArenaReport(
            long bytes,
            boolean superseded,
            Duration period,
            Duration sinceRefresh,
            Duration refreshDelay,
            double estimatedFpp,
            List<GenerationStats> generations) {

        static ArenaReport of(ArenaStats arena) {
            return new ArenaReport(
                    arena.plan().bytes(),
                    arena.superseded(),
                    arena.plan().period(),
                    arena.sinceRefresh(),
                    arena.refreshDelay(),
                    arena.estimatedFpp(),
                    arena.generations());
        }
    }
}
