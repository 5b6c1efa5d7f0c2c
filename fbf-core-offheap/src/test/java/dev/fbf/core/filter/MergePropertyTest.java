package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Filters that are merged, written and read at random: none forgets what any of its parts must remember. */
@Tag("slow")
class MergePropertyTest {

    private static final FilterSizing SIZING = new FilterSizing(2_000, Duration.ofSeconds(2), 1e-2);

    private enum Event {
        PUT_SOME,
        PUT_FOR_A_WHILE,
        LET_TIME_PASS,
        MISS_REFRESHES,
        MERGE,
        WRITE_AND_READ
    }

    /** {@code filter} and {@code other} choose filters, {@code amount} is from 1 to 100. */
    private record Step(Event event, int filter, int other, int amount) {}

    @Provide
    Arbitrary<Step> steps() {
        Arbitrary<Integer> filters = Arbitraries.integers().between(0, 59);
        return Combinators.combine(
                        Arbitraries.of(Event.class),
                        filters,
                        filters,
                        Arbitraries.integers().between(1, 100))
                .as(Step::new);
    }

    @Property(tries = 25, shrinking = ShrinkingMode.OFF)
    void forgetsNothingEarlyAndEverythingLate(
            @ForAll @IntRange(min = 2, max = 5) int count, @ForAll @Size(max = 200) List<@From("steps") Step> steps)
            throws IOException {
        MergedFilters filters = new MergedFilters(count, SIZING);
        for (Step step : steps) {
            live(filters, step);
            filters.checkThatNothingIsForgottenEarly();
        }
        for (int filter = 0; filter < count; filter++) {
            filters.checkFalsePositives(filter);
        }
        filters.pass(SIZING.retryWindow().multipliedBy(3));
        for (int filter = 0; filter < count; filter++) {
            assertThat(filters.found(filter)).as("filter %d", filter).isZero();
            assertThat(filters.get(filter).stats().arenas()).hasSize(1);
        }
    }

    private static void live(MergedFilters filters, Step step) throws IOException {
        int filter = step.filter() % filters.count();
        int other = step.other() % filters.count();
        int amount = step.amount();
        switch (step.event()) {
            case PUT_SOME -> filters.put(filter, amount);
            case PUT_FOR_A_WHILE -> {
                for (int i = 0; i < 10; i++) {
                    filters.put(filter, amount / 2);
                    filters.pass(Duration.ofMillis(10));
                }
            }
            case LET_TIME_PASS -> filters.pass(Duration.ofMillis(5L * amount));
            case MISS_REFRESHES -> filters.elapse(Duration.ofMillis(7L * amount));
            case MERGE -> filters.merge(filter, other);
            case WRITE_AND_READ -> filters.writeAndRead(filter, other);
        }
    }
}
