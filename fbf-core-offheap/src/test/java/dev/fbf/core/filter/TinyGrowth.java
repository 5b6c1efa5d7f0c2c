package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.MappedRing;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** A filter of tiny arenas in a mapped file that grows when it is told to. Its time stands still until a test moves it. */
public final class TinyGrowth {

    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final int LANE_BITS = 4;

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private volatile Instant stateReadAt = now;

    private final ForgetfulBloomFilter filter =
            new ForgetfulBloomFilter("tiny", plan(1), new Store(), FilterClock.of(this::now), List.of());

    private static FilterPlan plan(long lines) {
        Spread spread = new Spread(1, 2, FilterLayout.LINE_BITS / LANE_BITS);
        FilterSizing sizing = FilterSizing.DEFAULT;
        return new FilterPlan(sizing, sizing, false, Rule.SINGLE, LANE_BITS, 1, lines, spread, PERIOD);
    }

    /** Puts an operation. */
    public void put(OperationId id) {
        filter.put(id);
    }

    /** Puts an operation without a second read of the newest arena. */
    public void putWithoutSecondRead(OperationId id) {
        filter.newest().put(id, false);
    }

    /** Goes on in a larger arena, and lets some time go by. */
    public void grow() {
        filter.growTo(plan(2));
        now = now.plus(PERIOD.dividedBy(2));
    }

    /** Whether the operation is found for a window since it was put. */
    public boolean keeps(OperationId id) {
        Instant end = stateReadAt.plus(plan(1).window());
        while (now.isBefore(end)) {
            if (!filter.mightContain(id)) {
                return false;
            }
            now = now.plus(PERIOD.dividedBy(4));
            filter.maintain();
        }
        return true;
    }

    private Instant now() {
        return now;
    }

    private final class Store implements ArenaStore {

        @Override
        public Arena create(FilterPlan plan, FilterClock clock) {
            Words words = MappedRing.next(plan.bytes() / Long.BYTES);
            Arena.initialize(plan, words, clock, ProbeHash.randomSecret());
            return new Arena(plan, new StateReads(words), clock);
        }

        @Override
        public void remove(Arena arena) {
            // its words are given out again
        }
    }

    /** Notes the time before each read of the state by a put: from the last on it is promised to be remembered. */
    private final class StateReads extends WordsView {

        StateReads(Words words) {
            super(words);
        }

        @Override
        public long getVolatile(long index) {
            if (index == FilterLayout.STATE_WORD) {
                stateReadAt = now;
            }
            return super.getVolatile(index);
        }
    }
}
