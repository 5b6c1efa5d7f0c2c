package dev.fbf.core.witness;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.witness.GuardedLife.Event;
import dev.fbf.core.witness.GuardedLife.Step;
import dev.fbf.core.witness.GuardedLife.Weakness;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Under any events a node applies each operation once, and a node without one of its precautions fails at that. */
class GuardedLifePropertyTest {

    private static final int MOST_LIVES = 3_000;

    @Provide
    Arbitrary<Step> steps() {
        return Combinators.combine(
                        Arbitraries.of(Event.weighted()), Arbitraries.integers().between(0, 999))
                .as(Step::new);
    }

    @Property(tries = 300)
    void appliesEachOperationOnceWheneverTheProcessDies(@ForAll @Size(max = 80) List<@From("steps") Step> steps) {
        GuardedLife life = new GuardedLife(Weakness.NONE);
        steps.forEach(life::live);
        life.end();
    }

    @Example
    void failsWithoutAFence() {
        assertFails(Weakness.SETTLED_WITHOUT_A_FENCE);
    }

    @Example
    void failsWhenClaimsAreFreedBeforeTheFilterHoldsTheOperations() {
        assertFails(Weakness.CLAIMS_ARE_FREED_BEFORE_THE_FILTER_HOLDS_THE_OPERATIONS);
    }

    /** In one of many lives, at the latest. */
    private static void assertFails(Weakness weakness) {
        assertThatExceptionOfType(GuardedLife.NotAppliedOnce.class).isThrownBy(() -> {
            for (long seed = 0; seed < MOST_LIVES; seed++) {
                GuardedLife.live(weakness, seed);
            }
        });
    }
}
