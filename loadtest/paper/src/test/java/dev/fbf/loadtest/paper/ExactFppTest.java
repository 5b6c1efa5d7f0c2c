package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExactFppTest {

    @ParameterizedTest
    @EnumSource
    void isWhatOneCounts(Rule rule) {
        SimulatedFilter filter = new SimulatedFilter(rule, 2_000, 3, 3, 1);
        new Timeline(filter, Workload.steady(20), 5).runTo(28);

        assertThat(filter.computedFpp()).isCloseTo(filter.countedFpp(1_000_000), Percentage.withPercentage(2));
    }

    @Test
    void ofOneFullPositionInTenIsItsPower() {
        double[] share = {0.9, 0, 0, 0, 0, 0, 0, 0.1};

        assertThat(ExactFpp.of(Rule.CORRECTED, 1, 3, share)).isCloseTo(1e-3, Percentage.withPercentage(1e-6));
    }

    @Test
    void addsWhatDifferentGenerationsBringAndTakesAwayWhatTheyShare() {
        // a tenth of the positions in the future generation alone, a fifth in the oldest alone, a tenth in both
        double[] share = {0.6, 0.1, 0, 0, 0.2, 0.1, 0, 0};

        assertThat(ExactFpp.of(Rule.CORRECTED, 1, 2, share))
                .isCloseTo(0.2 * 0.2 + 0.3 * 0.3 - 0.1 * 0.1, Percentage.withPercentage(1e-6));
    }
}
