package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThresholdTest {

    @ParameterizedTest
    @CsvSource({"2, 1, 0.796812130", "3, 2, 1.979049536", "2, 4, 3.934728166"})
    void isThePapersNumber(int candidates, int slots, double paper) {
        assertThat(Threshold.of(candidates, slots, 1L << 30)).isCloseTo(paper, within(1e-8));
    }

    @ParameterizedTest(name = "known of tables with k = {0} and b = {1}: {2}")
    @CsvSource({"2, 1, 0.5", "3, 1, 0.918", "2, 2, 1.794"})
    void aPerfectTableReachesTheThresholdThatIsKnown(int candidates, int slots, double known) {
        double reached = LongStream.range(0, 5)
                .mapToDouble(seed -> PerfectTable.ratioAtFirstRefusal(candidates, slots, 8_192, seed))
                .average()
                .orElseThrow();

        assertThat(reached).isBetween(0.85 * known, 1.06 * known).isLessThan(Threshold.of(candidates, slots, 8_192));
    }

    @Test
    void occupancyHasTheNumbersOfThePapersExample() {
        assertThat(Occupancy.exactly(2, 6, 5)).isCloseTo(0.03968, within(1e-9));
        assertThat(Occupancy.exactly(3, 6, 5)).isCloseTo(0.3456, within(1e-9));
        assertThat(Occupancy.exactly(4, 6, 5)).isCloseTo(0.4992, within(1e-9));
        assertThat(Occupancy.exactly(5, 6, 5)).isCloseTo(0.1152, within(1e-9));
        assertThat(Occupancy.bound(3, 2, 2, 5)).isCloseTo(0.99968, within(1e-9));
    }

    @Test
    void occupancyBoundsWhatAPerfectTableStores() {
        for (int elements = 4; elements <= 10; elements++) {
            assertThat(Occupancy.counted(elements, 2, 2, 5, 5_000))
                    .as("%d elements", elements)
                    .isLessThanOrEqualTo(Occupancy.bound(elements, 2, 2, 5) + 0.02);
        }
    }
}
