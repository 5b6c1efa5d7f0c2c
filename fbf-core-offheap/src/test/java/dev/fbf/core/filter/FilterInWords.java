package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.List;

/** The filter of a scope in words that a test has in its hand, at a time that stands still. */
public final class FilterInWords {

    public static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(20), 1e-9).plan();

    private FilterInWords() {}

    /** How many words it takes. */
    public static long size() {
        return PLAN.bytes() / Long.BYTES;
    }

    /** Begins in words that are all zero. */
    public static void initialize(Words words) {
        HeapArenas.arena(PLAN, words, clock());
    }

    /** Goes on in words that another filter left behind. */
    public static ForgetfulBloomFilter open(Words words) {
        FilterClock clock = clock();
        Arena arena = new Arena(PLAN, words, clock);
        arena.sealAfterCrash();
        return new ForgetfulBloomFilter("in words", PLAN, new HeapArenas(), clock, List.of(arena));
    }

    private static FilterClock clock() {
        return FilterClock.of(new HandClock());
    }
}
