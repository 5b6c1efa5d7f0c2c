package dev.fbf.loadtest.paper.cuckoo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThresholdTest {

    /** Table II: k, and the thresholds with b = 1 to 4. */
    @ParameterizedTest(name = "k = {0}")
    @CsvSource({
        "2, 0.796812130, 1.861790807, 2.905683863, 3.934728166",
        "3, 0.940479791, 1.979049536, 2.992264312, 3.997079786",
        "4, 0.980172599, 1.996604114, 2.999390447, 3.999888473",
        "5, 0.993022846, 1.999453835, 2.999955482, 3.999996295",
        "6, 0.997483538, 1.999913939, 2.999996938, 3.999999888",
        "7, 0.999082240, 1.999986694, 2.999999798, 3.999999996"
    })
    void isThePapersNumber(int candidates, double one, double two, double three, double four) {
        assertThat(thresholds(candidates, 1L << 30))
                .containsExactly(new double[] {one, two, three, four}, within(1e-8));
    }

    /** Figure 3, m = 50: k, and the thresholds with b = 1 to 4. The paper has a plot; these are the numbers of the page. */
    @ParameterizedTest(name = "k = {0}")
    @CsvSource({
        "2, 0.8023, 1.8650, 2.9077, 3.9361",
        "3, 0.9425, 1.9797, 2.9925, 3.9972",
        "4, 0.9810, 1.9967, 2.9994, 3.9999",
        "5, 0.9934, 1.9995, 3.0000, 4.0000"
    })
    void growsWithCandidatesAndSlotsInASmallFilter(int candidates, double one, double two, double three, double four) {
        assertThat(thresholds(candidates, 50)).containsExactly(new double[] {one, two, three, four}, within(5e-5));
        assertThat(thresholds(candidates + 1, 50)[0]).isGreaterThan(one);
    }

    private static double[] thresholds(int candidates, long buckets) {
        return IntStream.rangeClosed(1, 4)
                .mapToDouble(slots -> Threshold.of(candidates, slots, buckets))
                .toArray();
    }

    @ParameterizedTest(name = "known of tables with k = {0} and b = {1}: {2}")
    @CsvSource({"2, 1, 0.5", "3, 1, 0.918", "2, 2, 1.794"})
    void aPerfectTableReachesTheThresholdThatIsKnown(int candidates, int slots, double known) {
        assertThat(reached(candidates, slots, 8_192))
                .isBetween(0.85 * known, 1.06 * known)
                .isLessThan(Threshold.of(candidates, slots, 8_192));
    }

    /** Theorem 4 is an upper bound: close for large k and b, and far off for small ones. */
    @Test
    void aPerfectTableReachesMostThresholdsOfTableTwoAndNoneOfTheSmallest() {
        int buckets = 1_024;
        List<Double> shares = IntStream.rangeClosed(2, 7)
                .boxed()
                .flatMap(k ->
                        IntStream.rangeClosed(1, 4).mapToObj(b -> reached(k, b, buckets) / Threshold.of(k, b, buckets)))
                .toList();

        assertThat(shares).filteredOn(share -> share > 0.98).hasSizeGreaterThanOrEqualTo(20);
        assertThat(shares.get(0)).as("k = 2, b = 1").isLessThan(0.7);
    }

    private static double reached(int candidates, int slots, int buckets) {
        return LongStream.range(0, 5)
                .parallel()
                .mapToDouble(seed -> PerfectTable.ratioAtFirstRefusal(candidates, slots, buckets, seed))
                .average()
                .orElseThrow();
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

    /** Figure 5d: with one point per bucket the arcs of the ring are exponentially distributed, and the numbers of mapped elements geometric. */
    @Test
    void arcsOfOnePointEachLeaveAThirdOfTheSlotsEmpty() {
        double low = 0.01;
        double high = 1;
        for (int i = 0; i < 60; i++) {
            double utilization = (low + high) / 2;
            double mapped = 2 * 3 * utilization;
            double more = mapped / (1 + mapped);
            double usable = more * (1 - Math.pow(more, 3)) / (1 - more) / 3;
            if (usable > utilization) {
                low = utilization;
            } else {
                high = utilization;
            }
        }

        assertThat(low).as("equation 7 equals equation 8").isCloseTo(0.64, within(0.005));
    }
}
