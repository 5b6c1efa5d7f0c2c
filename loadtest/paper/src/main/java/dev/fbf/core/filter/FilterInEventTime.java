package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.keyed.KeyedFilter;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.time.Instant;
import java.util.List;

/**
 * The core's filter off the heap, whose clock is the time of a stream that is replayed faster than it came. For one thread.
 *
 * <p>{@link #advanceTo} refreshes it. It takes no samples of the load, which an application takes once a second on a thread of
 * its own, and which only a filter that may grow needs.
 */
public final class FilterInEventTime {

    /** The files of the filter know no time before 1970, and the generations of a new one are as old as two windows. */
    private static final Instant START = Instant.parse("2020-01-01T00:00:00Z");

    private final AdaptiveFilter filter;
    private long millis;

    /**
     * Creates an empty filter, at time zero.
     *
     * @throws IllegalArgumentException if the plan may grow
     */
    public FilterInEventTime(FilterPlan plan) {
        if (plan.mayGrow()) {
            throw new IllegalArgumentException("plan=" + plan + ": must not grow");
        }
        filter = new AdaptiveFilter(
                "clicks", plan, new Memory(), FilterClock.of(() -> START.plusMillis(millis)), List.of());
    }

    /** {@return the size of the filter} */
    public long bytes() {
        return filter.plan().bytes();
    }

    /**
     * Puts operations that seem new, in order, as {@link KeyedFilter#putAll} does keys: their lines are loaded together.
     *
     * @return for each whether it seemed new
     */
    public boolean[] putNew(OperationId... ids) {
        return Batch.each(ids.length, (i, batch) -> batch.add(ids[i].high(), ids[i].low()), batch -> {
            filter.touch(batch);
            long isNew = 0;
            for (int i = 0; i < batch.size; i++) {
                if (!filter.mightContain(batch.high[i], batch.low[i])) {
                    filter.put(batch.high[i], batch.low[i]);
                    isNew |= 1L << i;
                }
            }
            return isNew;
        });
    }

    /** Moves the clock forward and makes up for all refreshes that are due. */
    public void advanceTo(long millis) {
        this.millis = Math.max(this.millis, millis);
        for (Arena arena : filter.arenas()) {
            arena.refreshIfDue();
        }
    }

    private static final class Memory implements ArenaStore {

        @Override
        public Arena create(FilterPlan plan, FilterClock clock) {
            Words words = MappedWords.allocate(plan.bytes() / Long.BYTES);
            Arena.initialize(plan, words, clock, ProbeHash.randomSecret());
            return new Arena(plan, words, clock);
        }

        @Override
        public void remove(Arena arena) {
            // there is no file
        }
    }
}
