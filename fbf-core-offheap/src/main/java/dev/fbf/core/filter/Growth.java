package dev.fbf.core.filter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides when an arena should be followed by a larger one, or a smaller one. */
final class Growth implements AdaptationPolicy {

    /*
     * The arenas of a scope share the stated false positive probability. Each new one is planned for half of what the
     * others leave, so that there is always something left for the next; as the old ones go, their shares come back.
     *
     * An arena keeps within its share while no generation gets more elements than its capacity. So the next arena comes
     *   - when the newest generation is about to pass the capacity, by the rate of its elements so far or, when the
     *     load jumps, since the last look; or
     *   - when the arena, measured, has used its share and half of what it leaves.
     * It is planned for twice the rate seen, so that a load that keeps rising needs few steps. A smaller one comes when
     * for a whole window no generation was filled to a quarter.
     */
    private static final double HEADROOM = 2;

    private static final double OVERFULL = 1.05;
    private static final double OVERUSED = 1.5;
    private static final double SPARSE = 0.25;
    private static final double JUMP = 0.05;

    /** A look comes at least once in this part of a period, so this much is put unseen. */
    private static final double LOOKS_AHEAD = 2;

    private final double capacity;
    /** How many elements the newest generation had at the last look; at the first, nobody knows since when. */
    private double lastCount = Double.NaN;

    /**
     * How long it is since it was last asked whether a smaller arena would do. Asked at the first look too: the arena
     * that is left alone is older than a window, whether this process or the one before it made it.
     */
    private long sinceMillis;

    Growth(FilterPlan plan) {
        capacity = plan.capacity();
        sinceMillis = plan.window().toMillis();
    }

    /** The plan of a first arena; where there is no room to grow, it has the probability to itself. */
    static FilterPlan first(FilterSizing stated) {
        FilterPlan plan = share(stated, stated.expectedOperationsPerSecond(), stated.falsePositiveProbability());
        return plan.bytes() <= stated.maxBytes()
                ? plan
                : FilterPlanner.plan(stated).partOf(stated, Adaptation.ARENAS);
    }

    /** The plan of an arena that may use half of a probability. */
    private static FilterPlan share(FilterSizing stated, double rate, double probability) {
        double share = Math.max(FilterSizing.MIN_FPP, probability / 2);
        double possible = Math.min(FilterSizing.MAX_RATE, Math.max(FilterSizing.MIN_RATE, rate));
        return FilterPlanner.plan(new FilterSizing(
                        possible, stated.retryWindow(), share, FilterSizing.UNLIMITED, stated.requests()))
                .partOf(stated, Adaptation.ARENAS);
    }

    @Override
    public @Nullable FilterPlan look(FilterStats stats, Arena newest, long millisSinceLastLook) {
        ArenaStats arena = stats.arenas().get(0);
        double periodMillis = arena.period().toMillis();
        double rate = ratePerMilli(arena, millisSinceLastLook);
        double left = Math.max(0, periodMillis - age(arena));
        double expected = lastCount + rate * Math.min(left, LOOKS_AHEAD * millisSinceLastLook);
        double share = arena.plan().sizing().falsePositiveProbability();
        if (expected > OVERFULL * capacity || arena.estimatedFpp() > OVERUSED * share) {
            double free = Math.max(stats.targetFpp() / 16, stats.targetFpp() - stats.estimatedFpp());
            double seen = Math.max(rate, mostElements(arena.generations()) / periodMillis);
            return share(
                    arena.plan().stated(),
                    operationsPerSecond(arena, Math.max(HEADROOM * seen, capacity / periodMillis)),
                    free);
        }
        sinceMillis += millisSinceLastLook;
        if (stats.arenas().size() > 1 || sinceMillis < arena.plan().window().toMillis()) {
            return null;
        }
        sinceMillis = 0;
        return smaller(arena, stats.targetFpp());
    }

    private @Nullable FilterPlan smaller(ArenaStats arena, double target) {
        double most = mostElements(arena.generations());
        if (most > SPARSE * capacity) {
            return null;
        }
        FilterSizing stated = arena.plan().stated();
        FilterPlan plan = first(stated);
        if (most > OVERFULL * plan.capacity()) {
            plan = share(
                    stated,
                    operationsPerSecond(arena, HEADROOM * most / arena.period().toMillis()),
                    target);
        }
        return plan.bytes() < arena.plan().bytes() ? plan : null;
    }

    /** Notes how many elements the newest generation has. */
    private double ratePerMilli(ArenaStats arena, long millisSinceLastLook) {
        double count = arena.generations().get(0).approximateElementCount();
        double sinceLastLook = count - lastCount;
        double rate = count / Math.max(1, age(arena));
        lastCount = count;
        return sinceLastLook > JUMP * capacity
                ? Math.max(rate, sinceLastLook / Math.max(1, millisSinceLastLook))
                : rate;
    }

    private static double operationsPerSecond(ArenaStats arena, double elementsPerMilli) {
        return 1000 * elementsPerMilli / arena.plan().elementsPerOperation();
    }

    /** How long the newest generation has been there, in milliseconds. */
    private static double age(ArenaStats arena) {
        return arena.sinceRefresh().toMillis();
    }

    private static double mostElements(List<GenerationStats> generations) {
        return generations.stream()
                .mapToLong(GenerationStats::approximateElementCount)
                .max()
                .orElse(0);
    }
}
