package dev.fbf.core.filter;

import org.jspecify.annotations.Nullable;

/** What to do about the load of an arena, from when it took over. Called by one thread at a time. */
interface AdaptationPolicy {

    /** {@link Adaptation#NONE}. */
    AdaptationPolicy NONE = (stats, newest, millisSinceLastLook) -> null;

    static AdaptationPolicy of(FilterPlan plan) {
        return switch (plan.adaptation()) {
            case NONE -> NONE;
            case ARENAS -> new Growth(plan);
            case GENERATIONS -> new Algorithm3();
        };
    }

    /**
     * Looks how the filter is doing.
     *
     * @param newest the arena that takes what is put
     * @return the plan of an arena that shall take over; null if none
     */
    @Nullable FilterPlan look(FilterStats stats, Arena newest, long millisSinceLastLook);

    /**
     * How long until the next look.
     *
     * @param usual how long it would be by the period alone, in milliseconds
     * @return at most that
     */
    default long millisToNextLook(long usual) {
        return usual;
    }
}
