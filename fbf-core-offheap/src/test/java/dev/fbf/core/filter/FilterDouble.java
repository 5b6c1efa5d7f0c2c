package dev.fbf.core.filter;

import dev.fbf.core.plan.FilterSizing;
import java.time.InstantSource;
import java.util.List;

/** A filter whose puts and checks a test makes; it lacks nothing, and remembers no requests. */
public abstract class FilterDouble extends ForgetfulBloomFilter {

    private static final FilterClock CLOCK = FilterClock.of(InstantSource.system());
    private static final Arena UNUSED = new HeapArenas().create(FilterSizing.DEFAULT.plan(), CLOCK);

    protected FilterDouble() {
        super("double", FilterSizing.DEFAULT.plan(), new HeapArenas(), CLOCK, List.of(UNUSED));
    }
}
