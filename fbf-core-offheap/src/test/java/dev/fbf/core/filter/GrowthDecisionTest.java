package dev.fbf.core.filter;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.List;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a single sample, and the few before it, decide: by numbers that no filter has to be filled for. */
class GrowthDecisionTest {

    private static final double TARGET = 1e-9;
    private static final FilterSizing STATED =
            new FilterSizing(1_000, Duration.ofMinutes(10), TARGET, FilterSizing.UNLIMITED, true);
    private static final FilterPlan PLAN = STATED.plan();
    private static final long PERIOD = PLAN.period().toMillis();
    private static final long USUAL = 1_000;

    private final GrowthDecision growth = new GrowthDecision(PLAN);

    /** Of the newest arena: when it was refreshed, and what a check of it costs. */
    private static final long AGE = PERIOD / 2;

    private double fpp;

    @Test
    void growsWhenAGenerationHasATwentiethMoreThanItsCapacity() {
        assertThat(sample(USUAL, 1.0499)).isNull();
        assertThat(sample(USUAL, 1.0501)).isNotNull();
    }

    @ParameterizedTest(name = "{0} times its capacity: {1} times as large")
    @CsvSource({"1.1, 1.32", "3, 3.6", "4, 2.19089", "20, 2.88450"})
    void growsByAFifthMoreThanTheFullestGenerationInEqualStepsOfAtMostFour(double full, double times) {
        @Nullable FilterPlan next = sample(USUAL, full, full / 2);

        assertThat(rateOf(next)).isCloseTo(rate(times), withinPercentage(0.01));
        assertThat(shareOf(next)).isCloseTo(TARGET / 2, withinPercentage(0.1));
        assertThat(requireNonNull(next).stated()).isEqualTo(STATED);
    }

    @Test
    void growsBeforeItIsFullIfTwoSamplesShowThatItWillBe() {
        sample(USUAL, 0.3);
        sample(USUAL, 0.6);

        assertThat(sample(USUAL, 0.949)).isNull();
        assertThat(sample(USUAL, 0.951)).isNotNull();
    }

    @Test
    void growsWhenItHasUsedItsShareAndHalfOfWhatItLeaves() {
        fpp = 1.49 * TARGET / 2;
        assertThat(sample(USUAL, 0.1)).isNull();

        fpp = 1.51 * TARGET / 2;
        FilterPlan next = sample(USUAL, 0.1);

        assertThat(rateOf(next)).as("it is large enough").isCloseTo(rate(1), withinPercentage(0.01));
        assertThat(shareOf(next)).as("half of the rest").isCloseTo((TARGET - fpp) / 2, withinPercentage(0.1));
    }

    @Test
    void isSampledInTimeForATwentiethOfItsCapacity() {
        assertThat(growth.millisToNextSample(USUAL)).isEqualTo(USUAL);
        sample(USUAL, 0.3);
        assertThat(growth.millisToNextSample(USUAL)).as("no rate yet").isEqualTo(USUAL);
        sample(USUAL, 0.5);

        assertThat(growth.millisToNextSample(USUAL)).isBetween(249L, 250L);
        assertThat(growth.millisToNextSample(100)).isEqualTo(100);

        sample(10, 1);
        assertThat(growth.millisToNextSample(USUAL)).isEqualTo(GrowthDecision.MIN_MILLIS);
    }

    @Test
    void isIdleWhileThreeSamplesShowNoPuts() {
        sample(USUAL, 0.3);
        assertThat(growth.isIdle()).isTrue();

        sample(USUAL, 0.31);
        sample(USUAL, 0.31);
        sample(USUAL, 0.31);
        assertThat(growth.isIdle()).isFalse();

        sample(USUAL, 0.31);
        assertThat(growth.isIdle()).isTrue();
    }

    @Test
    void aFirstArenaHasTheProbabilityToItselfWhereThereIsNoRoomForAnother() {
        assertThat(shareOf(limited(PLAN.bytes() - 1).plan())).isEqualTo(TARGET);
        assertThat(limited(PLAN.bytes() - 1).plan().bytes()).isLessThan(PLAN.bytes());
        assertThat(shareOf(limited(PLAN.bytes()).plan())).isEqualTo(TARGET / 2);
    }

    private static FilterSizing limited(long maxBytes) {
        return new FilterSizing(1_000, STATED.retryWindow(), TARGET, maxBytes, true);
    }

    /** Of a filter with one arena, whose generations are filled to these parts of the capacity; the newest first. */
    private @Nullable FilterPlan sample(long millisSinceLastSample, double... full) {
        return growth.next(new FilterStats(TARGET, List.of(arena(full))), millisSinceLastSample);
    }

    private ArenaStats arena(double... full) {
        double capacity = PLAN.capacity();
        List<Long> generations = DoubleStream.concat(DoubleStream.of(full), DoubleStream.of(0))
                .mapToObj(part -> Math.round(part * capacity))
                .toList();
        return new ArenaStats(PLAN, Duration.ofMillis(AGE), fpp, generations);
    }

    /** The operations a second that fill a generation to so many times the capacity. */
    private double rate(double times) {
        return 1_000 * times * PLAN.capacity() / PERIOD / PLAN.elementsPerOperation();
    }

    private static double rateOf(@Nullable FilterPlan next) {
        return requireNonNull(next).sizing().expectedOperationsPerSecond();
    }

    private static double shareOf(@Nullable FilterPlan next) {
        return requireNonNull(next).sizing().falsePositiveProbability();
    }
}
