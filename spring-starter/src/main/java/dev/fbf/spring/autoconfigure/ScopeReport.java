package dev.fbf.spring.autoconfigure;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.core.filter.ArenaStats;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.GenerationStats;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.spring.Mode;
import java.time.Duration;
import java.util.List;

/**
 * How a scope is doing.
 *
 * @param scope its name
 * @param mode what decides whether an operation is new
 * @param expectedOperationsPerSecond the rate that was stated
 * @param retryWindow how long after an operation its retries may come, as was stated
 * @param rememberedFor how long an operation is surely remembered
 * @param claims operations that are being applied or in doubt
 * @param inDoubt those of them that are in doubt
 * @param keylessCalls calls that were let through unguarded since the start
 * @param targetFpp share of new operations that may be taken for a retry
 * @param estimatedFpp share of new operations that is taken for a retry now
 * @param fill part of the positions that are set in the fullest generation
 * @param approximateOperations about how many operations the filter holds
 * @param bytes size of the filter's files
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

    static ScopeReport of(ScopeClaims guard, Mode mode, long keylessCalls) {
        FilterStats stats = guard.filter().stats();
        FilterPlan plan = guard.filter().plan();
        return new ScopeReport(
                guard.scope(),
                mode,
                plan.stated().expectedOperationsPerSecond(),
                guard.retryWindow(),
                plan.window(),
                guard.held(),
                guard.inDoubt(),
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
     * How an arena is doing.
     *
     * @param bytes size of its file
     * @param superseded whether new operations go to a newer one
     * @param period time from one refresh to the next
     * @param sinceRefresh how long ago the last refresh was
     * @param refreshDelay how late it was, or the next one is
     * @param estimatedFpp its part of the scope's
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
