package dev.fbf.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterSizingTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @ParameterizedTest(name = "{0}, {1}, {2}, {3}")
    @CsvSource({
        "0, PT1M, 1e-6, 65536, expectedOperationsPerSecond=0.0: must be from 0.001 to 1.0E7",
        "1e8, PT1M, 1e-6, 65536, expectedOperationsPerSecond=1.0E8: must be from 0.001 to 1.0E7",
        "NaN, PT1M, 1e-6, 65536, expectedOperationsPerSecond=NaN: must be from 0.001 to 1.0E7",
        "1, PT1M, 1e-13, 65536, falsePositiveProbability=1.0E-13: must be from 1.0E-12 to 0.1",
        "1, PT1M, 0.2, 65536, falsePositiveProbability=0.2: must be from 1.0E-12 to 0.1",
        "1, PT0.099S, 1e-6, 65536, retryWindow=99 ms: must be from 100 ms to 30 d",
        "1, P31D, 1e-6, 65536, retryWindow=31 d: must be from 100 ms to 30 d",
        "1, PT1M, 1e-6, 65535, maxBytes=65535: must be at least 65536"
    })
    void refusesWhatIsOutOfRangeAndNamesTheRange(
            double rate, Duration window, double probability, long maxBytes, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSizing(rate, window, probability, maxBytes))
                .withMessage(message);
    }

    @Test
    void refusesACapThatCannotBeKeptAndNamesTheSizeThatCan() {
        FilterSizing capped = capped(4_000_000);

        assertThatIllegalArgumentException()
                .isThrownBy(capped::plan)
                .withMessage(
                        "maxBytes=4000000: 1000.0 operations/s, retried for PT10M, at a false positive probability of"
                                + " 1.0E-9, need 4,491,328 bytes");
        assertThat(capped(4_491_328).plan().bytes()).isEqualTo(4_491_328);
    }

    @ParameterizedTest
    @CsvSource({"100000, PT10M, 1e-12", "1000000, PT1H, 1e-12", "10000000, PT720H, 1e-6"})
    void refusesAProbabilityThatOperationsCannotBeToldApartBy(double rate, Duration window, double probability) {
        // by 64 bits two of n operations are taken for the same with n / 2^64
        double atLeast = rate * window.toSeconds() / Math.pow(2, 64);

        assertThat(atLeast).isGreaterThan(probability);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSizing(rate, window, probability).plan())
                .withMessageStartingWith("falsePositiveProbability=" + probability + ": ")
                .withMessageContaining("too many to tell apart by 64 bits; must be at least ")
                .satisfies(refusal -> {
                    String message = String.valueOf(refusal.getMessage());
                    double lowest = Double.parseDouble(message.substring(message.lastIndexOf(' ') + 1));
                    FilterSizing possible = new FilterSizing(rate, window, lowest);
                    for (FilterPlan plan : List.of(possible.plan(), FilterPlanner.plan(possible))) {
                        assertThat(plan.expectedFpp()).isBetween(atLeast, lowest);
                    }
                });
    }

    @Test
    void leavesRoomForAGrowthByDefault() {
        assertThat(FilterSizing.DEFAULT.plan().withDefaultLimit().stated().maxBytes())
                .isEqualTo(256 << 20);
        FilterPlan large = new FilterSizing(100_000, Duration.ofMinutes(10), 1e-9).plan();
        assertThat(large.bytes()).isGreaterThan(256 << 20);
        assertThat(large.withDefaultLimit().stated().maxBytes()).isEqualTo(6 * large.bytes());
        assertThat(large.withDefaultLimit().bytes()).isEqualTo(large.bytes());
    }

    @Test
    void needsAsManyBitsAnElementAsTheModelSays() {
        // were the probes spread freely, N = 4 would take 21.7, 39.0, 35.1 and 69.0
        assertThat(bitsForAnElement(Rule.SINGLE, 1e-3)).isBetween(21.7, 21.7 * 1.12);
        assertThat(bitsForAnElement(Rule.SINGLE, 1e-6)).isBetween(39.0, 39.0 * 1.12);
        assertThat(bitsForAnElement(Rule.PAPER, 1e-3)).isBetween(35.1, 35.1 * 1.12);
        assertThat(bitsForAnElement(Rule.PAPER, 1e-6)).isBetween(69.0, 69.0 * 1.12);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 62})
    void refusesANumberOfGenerationsThatNoLaneHas(int past) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSizing.DEFAULT.plan(Rule.SINGLE, past))
                .withMessage("past=" + past + ": must be from 1 to 61");
    }

    private static FilterSizing capped(long maxBytes) {
        FilterSizing sizing = FilterSizing.DEFAULT;
        return new FilterSizing(
                sizing.expectedOperationsPerSecond(),
                sizing.retryWindow(),
                sizing.falsePositiveProbability(),
                maxBytes);
    }

    private static double bitsForAnElement(Rule rule, double probability) {
        FilterPlan plan = FilterPlanner.plan(new FilterSizing(1_000, MINUTE, probability), rule, 4);
        long positions = plan.lines() * (FilterPlan.LINE_BITS / plan.laneBits());
        return plan.liveGenerations() * positions / (1_000.0 * 60);
    }
}
