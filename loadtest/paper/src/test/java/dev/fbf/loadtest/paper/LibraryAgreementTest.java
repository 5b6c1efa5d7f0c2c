package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The corrected rule as simulated here has the false positives that the library's model expects. That the library's
 * filter has them too is the core's own test.
 */
class LibraryAgreementTest {

    private static final int ELEMENTS = 20_000;

    @ParameterizedTest
    @CsvSource({"1, 1.0", "2, 0.5", "4, 1.0", "8, 0.2"})
    void hasTheFalsePositivesOfTheLibrarysExactModel(int past, double elapsed) {
        int positions = 400_000;
        int probes = 5;
        SimulatedFilter filter = new SimulatedFilter(Rule.CORRECTED, positions, probes, past, 1);
        Timeline timeline = new Timeline(filter, Workload.steady(ELEMENTS / 10.0), 10);
        timeline.runTo((past + 2 + elapsed) * 10);

        double expected = Load.steadyExact(ELEMENTS, positions, probes, past, elapsed);
        assertThat(filter.computedFpp()).isCloseTo(expected, Percentage.withPercentage(3));
    }
}
