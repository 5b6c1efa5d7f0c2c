package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.FilterPlan;
import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.model.FalsePositiveModel;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The corrected rule as simulated here is the library's: the same false positives, by its model and by its filter. */
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

        double expected = FalsePositiveModel.EXACT.fpp(ELEMENTS, positions, probes, past, elapsed);
        assertThat(filter.computedFpp()).isCloseTo(expected, Percentage.withPercentage(3));
    }

    @Test
    void hasTheFalsePositivesOfTheLibrarysFilter(@TempDir Path directory) {
        // a period so long that none ends: the library's clock is the machine's
        FilterPlan plan = new FilterSizing(0.1, Duration.ofDays(30), 0.1).plan(dev.fbf.core.filter.Rule.PAPER, 1);
        int positions = Math.toIntExact(plan.lines() * 512 / plan.laneBits());
        int probes = plan.spread().probes();
        SimulatedFilter simulated = new SimulatedFilter(Rule.CORRECTED, positions, probes, plan.past(), 1);
        int elements = positions / probes;
        int absent = 200_000;
        try (FilterDirectory filters = FilterDirectory.open(directory)) {
            ForgetfulBloomFilter library = filters.filter("agreement", plan);
            for (int element = 0; element < elements; element++) {
                OperationId id = new OperationId(element, 0);
                if (!library.mightContain(id)) {
                    library.put(id);
                }
                simulated.insert(element);
                assertThat(library.mightContain(id)).isTrue();
                assertThat(simulated.mightContain(element)).isTrue();
            }
            int found = 0;
            for (int element = -absent; element < 0; element++) {
                found += library.mightContain(new OperationId(element, 0)) ? 1 : 0;
            }
            // the library's file has a secret of its own, and it confines an operation's positions to a few lines,
            // which at so high a load hardly matters
            assertThat((double) found / absent).isCloseTo(simulated.computedFpp(), Percentage.withPercentage(5));
        }
    }
}
