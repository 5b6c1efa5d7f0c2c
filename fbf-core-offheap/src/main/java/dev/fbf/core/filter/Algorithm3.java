package dev.fbf.core.filter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The paper's algorithm 3: multiplicative increase and additive decrease of the number of generations.
 *
 * <p>Two things are not as printed. The period follows from the number of generations, so that together they last for
 * the window; the paper takes a second off it or adds one. And there is one change a period at most, where the paper
 * may make one every second: more generations help only from the next refresh on.
 */
final class Algorithm3 implements AdaptationPolicy {

    private static final double HIGH = 0.9;
    private static final double LOW = 0.1;

    private long sinceMillis;

    @Override
    public @Nullable FilterPlan look(FilterStats stats, Arena newest, long millisSinceLastLook) {
        ArenaStats arena = stats.arenas().get(0);
        sinceMillis += millisSinceLastLook;
        boolean refreshedSince = arena.sinceRefresh().toMillis() < sinceMillis;
        int generations = generations(arena);
        int wanted = generations;
        if (stats.estimatedFpp() >= HIGH * stats.targetFpp()) {
            wanted = Math.min(2 * generations, arena.plan().laneBits() - 1);
        } else if (stats.estimatedFpp() <= LOW * stats.targetFpp()) {
            wanted = Math.max(3, generations - 1);
        }
        if (refreshedSince && wanted != generations) {
            newest.period(period(arena.plan().window(), wanted));
            sinceMillis = 0;
        }
        return null;
    }

    /** N + 2, from the period: N + 1 of them make a window. */
    private static int generations(ArenaStats arena) {
        return (int) ceilDiv(arena.plan().window().toMillis(), arena.period().toMillis()) + 1;
    }

    private static long period(Duration window, int generations) {
        return ceilDiv(window.toMillis(), generations - 1L);
    }

    private static long ceilDiv(long dividend, long divisor) {
        return -Math.floorDiv(-dividend, divisor);
    }
}
