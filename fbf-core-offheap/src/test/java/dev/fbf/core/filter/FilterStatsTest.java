package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Rule;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The statistics of a filter, from those of its arenas. */
class FilterStatsTest {

    private static final FilterSizing SIZING = new FilterSizing(10, Duration.ofSeconds(50), 1e-3);
    private static final FilterPlan SINGLE = SIZING.plan();
    private static final FilterPlan PAPER = SIZING.plan(Rule.PAPER, 1);

    private final ArenaStats newest = arena(SINGLE, 20, 1e-4, generation(0.1, 5), generation(0.3, 20));
    private final ArenaStats former = arena(SINGLE, 70, 3e-4, generation(0.2, 8));

    @Test
    void aFilterHasAFalsePositiveIfOneOfItsArenasHas() {
        assertThat(stats(1e-3, newest, former).estimatedFpp()).isCloseTo(1 - (1 - 1e-4) * (1 - 3e-4), within(1e-12));
    }

    @Test
    void aSharedSeedCountsAsWell() {
        ArenaStats full = arena(SINGLE, 0, 0, generation(0.5, 1L << 40));

        assertThat(stats(1e-3, full).estimatedFpp()).isCloseTo((1L << 40) * FilterSizing.SAME_SEED, within(1e-12));
    }

    @Test
    void itIsOverItsTargetByAFifthAndMore() {
        assertThat(stats(1e-3, arena(SINGLE, 0, 1.19e-3, generation(0.1, 5))).overTarget())
                .isFalse();
        assertThat(stats(1e-3, arena(SINGLE, 0, 1.21e-3, generation(0.1, 5))).overTarget())
                .isTrue();
    }

    @Test
    void itsElementsAreThoseOfAllGenerationsOfAllArenas() {
        assertThat(stats(1e-3, newest, former).approximateElementCount()).isEqualTo(33);
    }

    /** Each operation is in two of them. */
    @Test
    void byThePapersRuleEverySecondGenerationHasThemAll() {
        assertThat(arena(PAPER, 0, 0, generation(0.1, 5), generation(0.3, 20), generation(0.2, 8))
                        .approximateElementCount())
                .isEqualTo(13);
    }

    @Test
    void itIsAsFullAsItsFullestGenerationAndAsLateAsItsLatestArena() {
        FilterStats stats = stats(1e-3, newest, former);

        assertThat(stats.fill()).isEqualTo(0.3);
        assertThat(stats.refreshDelay()).isEqualTo(Duration.ofMillis(70));
    }

    @Test
    void itTakesTheBytesOfAllArenas() {
        assertThat(stats(1e-3, newest, former).bytes()).isEqualTo(2 * SINGLE.bytes());
    }

    @Test
    void oneWithoutArenasHasNothing() {
        FilterStats none = stats(1e-3);

        assertThat(none.fill()).isZero();
        assertThat(none.refreshDelay()).isZero();
        assertThat(none.bytes()).isZero();
    }

    private static FilterStats stats(double targetFpp, ArenaStats... arenas) {
        return new FilterStats(targetFpp, List.of(arenas));
    }

    private static ArenaStats arena(FilterPlan plan, long delayMillis, double fpp, GenerationStats... newestFirst) {
        return new ArenaStats(plan, false, Duration.ZERO, Duration.ofMillis(delayMillis), fpp, List.of(newestFirst));
    }

    private static GenerationStats generation(double fill, long elements) {
        return new GenerationStats(Duration.ZERO, fill, elements);
    }
}
