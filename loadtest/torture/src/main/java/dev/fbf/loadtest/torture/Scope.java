package dev.fbf.loadtest.torture;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.filter.Rule;
import java.time.Duration;
import java.util.Locale;

/** The filters that a victim has open. */
enum Scope {
    /** Small, so that it is copied and opened well within its window. */
    SHORT(new FilterSizing(200_000, Duration.ofMillis(500), 1e-6).plan(Rule.PAPER, 2)),
    /** Refreshed ten times a second, with some milliseconds of clearing each time. */
    LONG(new FilterSizing(500_000, Duration.ofSeconds(3), 1e-6).plan(Rule.SINGLE, 29));

    @SuppressWarnings("ImmutableEnumChecker") // a record of values
    private final FilterPlan plan;

    Scope(FilterPlan plan) {
        this.plan = plan;
    }

    FilterPlan plan() {
        return plan;
    }

    String file() {
        return this + ".fbf";
    }

    /** Where a victim's operation goes: one in eight to the small filter. */
    static Scope of(int index) {
        return index % 8 == 0 ? SHORT : LONG;
    }

    static OperationId operation(int victim, int thread, int index) {
        return new OperationId((long) victim << 1 | thread, index);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
