package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.memory.ForcedWords;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** After a power loss that leaves any part of the unforced writes, restored operations are remembered for their window. */
class PowerLossPropertyTest {

    private static final List<FilterPlan> PLANS = List.of(
            new FilterSizing(10, Duration.ofSeconds(20), 1e-9).plan(),
            new FilterSizing(10, Duration.ofSeconds(20), 1e-9).plan(Rule.PAPER, 2));

    /** Something that happens; {@code amount} is from 0 to 999. */
    private enum Event {
        PUT,
        FORCE,
        LET_TIME_PASS,
        LET_A_WINDOW_PASS,
        LOSE_POWER
    }

    private record Step(Event event, int amount) {}

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(
                        Arbitraries.of(Event.class), Arbitraries.integers().between(0, 999))
                .as(Step::new);
    }

    @Property(tries = 100)
    void remembersWhatWasForced(@ForAll @Size(max = 60) List<@From("steps") Step> steps) {
        for (FilterPlan plan : PLANS) {
            Life life = new Life(plan);
            steps.forEach(life::live);
        }
    }

    private static final class Life {

        private final FilterPlan plan;
        private final HandClock clock = new HandClock();
        private final FilterClock filterClock = FilterClock.of(clock);
        private final Map<OperationId, Long> unforced = new LinkedHashMap<>();
        private final Map<OperationId, Long> forced = new LinkedHashMap<>();
        private ForcedWords words;
        private Arena arena;
        private long puts;

        Life(FilterPlan plan) {
            this.plan = plan;
            words = new ForcedWords(plan.bytes() / Long.BYTES);
            HeapArenas.arena(plan, words, filterClock);
            words.force();
            arena = new Arena(plan, words, filterClock, true);
        }

        void live(Step step) {
            switch (step.event) {
                case PUT -> {
                    OperationId id = new OperationId(puts++, 3);
                    arena.put(id);
                    unforced.put(id, clock.millis());
                }
                case FORCE -> {
                    forced.putAll(unforced);
                    unforced.clear();
                }
                case LET_TIME_PASS -> pass(step, Duration.ofMillis(10L * step.amount));
                case LET_A_WINDOW_PASS -> pass(step, plan.window().minusMillis(step.amount));
                case LOSE_POWER -> {
                    unforced.clear();
                    words = words.afterPowerLoss(new Random(step.amount));
                    clock.advance(Duration.ofMillis(step.amount));
                    assertThat(FilterLayout.checkedWords().map(words::getVolatile))
                            .allMatch(CheckedWord::isSound);
                    arena = new Arena(plan, words, filterClock, true);
                    arena.sealAfterCrash();
                    forced.forEach((id, at) -> arena.restore(id, null, at));
                    arena.refreshIfDue();
                }
            }
            check(step);
        }

        private void check(Step step) {
            forced.values()
                    .removeIf(putAt -> clock.millis() - putAt
                            >= plan.stated().retryWindow().toMillis());
            forced.forEach((id, putAt) -> assertThat(arena.mightContain(id))
                    .as("put %d ms ago, after %s", clock.millis() - putAt, step)
                    .isTrue());
        }

        private void pass(Step step, Duration duration) {
            for (long passed = 0; passed < duration.toMillis(); passed += 100) {
                clock.advance(Duration.ofMillis(100));
                arena.refreshIfDue();
                check(step);
            }
        }
    }
}
