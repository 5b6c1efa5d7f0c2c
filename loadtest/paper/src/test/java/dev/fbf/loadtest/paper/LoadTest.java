package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void exactUnderASteadyLoadIsTheLibrarysExactModel(int past) {
        assertThat(Load.steady(150, POSITIONS, PROBES, past).exact(Rule.CORRECTED))
                .isCloseTo(Load.steadyExact(150, POSITIONS, PROBES, past, 1), Percentage.withPercentage(1));
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
}
