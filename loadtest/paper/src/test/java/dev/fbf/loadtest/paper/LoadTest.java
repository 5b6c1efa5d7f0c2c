package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The models beside filled filters. */
class LoadTest {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 22})
    void equation3UnderASteadyLoadIsThePapers(int past) {
        double future = single(150);
        double full = single(300);

        double absent = (1 - future) * Math.pow(1 - full * full, past) * (1 - full);
        assertThat(Load.steady(150, POSITIONS, PROBES, past).equation3())
                .isCloseTo(1 - absent, Percentage.withPercentage(1e-6));
    }

    /** Equation 1. */
    private static double single(double elements) {
        return Math.pow(1 - Math.exp(-PROBES * elements / POSITIONS), PROBES);
    }

    @Test
    void singleIsExactForTheSingleRule() {
        Load load = new Load(new double[] {50, 200, 100, 0, 300}, POSITIONS, PROBES, 3);

        assertThat(load.single()).isCloseTo(load.exact(Rule.SINGLE), Percentage.withPercentage(1e-6));
    }

    @ParameterizedTest
    @EnumSource
    void exactIsWhatFilledFiltersHaveOnAverage(Rule rule) {
        Filling filling = new Filling(150, 5, POSITIONS, PROBES, 2);
        Spread filled = Spread.over(20, seed -> filling.fill(rule, seed).computedFpp());

        assertThat(filled.mean()).isCloseTo(filling.load().exact(rule), Percentage.withPercentage(5));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsComputedFromTheBitsIsWhatOneCounts(Rule rule) {
        SimulatedFilter filter = new SimulatedFilter(rule, 2_000, 3, 3, 1);
        new Timeline(filter, Workload.steady(20), 5).runTo(28);

        assertThat(filter.computedFpp()).isCloseTo(filter.countedFpp(1_000_000), Percentage.withPercentage(2));
    }

    @ParameterizedTest
    @CsvSource({"1, 1.0", "2, 0.5", "4, 1.0", "8, 0.2"})
    void aFilledFilterHasTheFalsePositivesOfTheExactModelInTheMiddleOfAPeriodToo(int past, double elapsed) {
        SimulatedFilter filter = new SimulatedFilter(Rule.CORRECTED, 400_000, PROBES, past, 1);
        new Timeline(filter, Workload.steady(2_000), 10).runTo((past + 2 + elapsed) * 10);

        double[] elements = new double[past + 2];
        Arrays.fill(elements, 20_000);
        elements[0] *= elapsed;
        assertThat(filter.computedFpp())
                .isCloseTo(
                        new Load(elements, 400_000, PROBES, past).exact(Rule.CORRECTED), Percentage.withPercentage(3));
    }
}
