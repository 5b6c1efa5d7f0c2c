package dev.fbf.spring.autoconfigure;

import dev.fbf.core.filter.ArenaStats;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.GenerationStats;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.spring.Mode;
import java.time.Duration;
import java.util.List;

/**
 * Report on a scope.
 *
 * @param scope its name
 * @param mode the memory that decides whether an operation is new
 * @param expectedOperationsPerSecond the stated rate
 * @param retryWindow the stated time after an operation in which its retries may arrive
 * @param rememberedFor the minimum time for which the filter remembers an operation
 * @param claims the number of operations that are being applied or in doubt
 * @param inDoubt the number of operations in doubt
 * @param keylessCalls the number of calls without a key that ran unguarded since the start
 * @param targetFpp the stated share of new operations that are false positives
 * @param estimatedFpp the current share of new operations that are false positives
 * @param fill the fraction of set positions in the fullest generation
 * @param approximateOperations the approximate number of operations in the filter
 * @param bytes the size of the filter in bytes
 * @param arenas the filter's arenas, the newest first
 */
record ScopeReport(
        String scope,
        Mode mode,
        double expectedOperationsPerSecond,
        Duration retryWindow,
        Duration rememberedFor,
        int claims,
        int inDoubt,
        long keylessCalls,
        double targetFpp,
        double estimatedFpp,
        double fill,
        long approximateOperations,
        long bytes,
        List<ArenaReport> arenas) {

    static ScopeReport of(ScopeClaims claims, Mode mode, long keylessCalls) {
        FilterStats stats = claims.filter().stats();
        FilterPlan plan = claims.filter().plan();
        return new ScopeReport(
                claims.scope(),
                mode,
                plan.stated().expectedOperationsPerSecond(),
                claims.retryWindow(),
                plan.window(),
                claims.held(),
                claims.inDoubt(),
                keylessCalls,
                stats.targetFpp(),
                stats.estimatedFpp(),
                stats.fill(),
                approximateOperations(stats),
                stats.bytes(),
                stats.arenas().stream().map(ArenaReport::of).toList());
    }

    private static long approximateOperations(FilterStats stats) {
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
