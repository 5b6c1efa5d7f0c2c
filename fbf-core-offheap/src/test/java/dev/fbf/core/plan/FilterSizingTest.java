package dev.fbf.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.core.DurationText;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterSizingTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 0.0001, 1e8, Double.NaN, Double.POSITIVE_INFINITY})
    void refusesARateOutOfRangeAndNamesTheRange(double rate) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSizing(rate, MINUTE, 1e-6))
                .withMessage("expectedOperationsPerSecond=" + rate + ": must be from 0.001 to 1.0E7");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 1e-13, 0.2, 1, Double.NaN})
    void refusesAProbabilityOutOfRangeAndNamesTheRange(double probability) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSizing(1, MINUTE, probability))
                .withMessage("falsePositiveProbability=" + probability + ": must be from 1.0E-12 to 0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1M", "PT0.099S", "P31D"})
    void refusesAWindowOutOfRangeAndNamesTheRange(Duration window) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSizing(1, window, 1e-6))
                .withMessage("retryWindow=" + DurationText.of(window) + ": must be from 100 ms to 30 d");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 65_535})
    void refusesACapThatHoldsNothingAndNamesTheLeast(long maxBytes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSizing(1, MINUTE, 1e-6, maxBytes))
                .withMessage("maxBytes=" + maxBytes + ": must be at least 65536");
    }

    @Test
    void theLeastCapHoldsSomethingAtAnyWindowAndProbability() {
        FilterSizing least = new FilterSizing(
                FilterSizing.MIN_RATE, FilterSizing.MAX_WINDOW, FilterSizing.MIN_FPP, FilterSizing.MIN_BYTES);

        assertThat(least.plan().bytes()).isLessThanOrEqualTo(FilterSizing.MIN_BYTES);
    }

    @Test
    void aCapThatCanBeKeptIsKept() {
        // the plan without a cap trades a tenth of memory for fewer lines; the one at the cap cannot
        FilterSizing capped = capped(4_500_000);

        assertThat(FilterSizing.DEFAULT.plan().bytes()).isGreaterThan(capped.maxBytes());
        assertThat(capped.plan().bytes()).isLessThanOrEqualTo(capped.maxBytes());
        assertThat(capped(1 << 30).plan().bytes())
                .isEqualTo(FilterSizing.DEFAULT.plan().bytes());
    }

    @Test
    void refusesACapThatCannotBeKeptAndNamesTheSizeThatCan() {
        FilterSizing capped = capped(4_000_000);

        assertThatIllegalArgumentException()
                .isThrownBy(capped::plan)
                .withMessage(
                        "maxBytes=4000000: 1,000 operations/s, retried for PT10M, at 1 false positive in 1,000,000,000,"
                                + " need 4,491,328 bytes");
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
    @ValueSource(ints = {1, 2, 4, 22, 61})
    void plansAFilterWithAsManyGenerationsAsAsked(int past) {
        FilterPlan plan = FilterSizing.DEFAULT.plan(Rule.SINGLE, past);

        assertThat(plan.past()).isEqualTo(past);
        assertThat(plan.laneBits()).isGreaterThanOrEqualTo(past + 3);
        assertThat(plan.expectedFpp()).isLessThanOrEqualTo(FilterSizing.DEFAULT.falsePositiveProbability());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 62})
    void refusesANumberOfGenerationsThatNoLaneHas(int past) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSizing.DEFAULT.plan(Rule.SINGLE, past))
                .withMessage("past=" + past + ": must be from 1 to 61");
    }

    @Test
    void explainsThePlanInOneLine() {
        assertThat(FilterSizing.DEFAULT.plan().toString())
                .isEqualTo(
                        "1,000 operations/s, retried for PT10M, at 1 false positive in 1,000,000,000: rule SINGLE, N = 13,"
                                + " t = PT42.858S, lanes of 16 bits, 77,359 lines, 27 probes in 9 of them; 4.96 MB");
        assertThat(capped(5_000_000).plan().toString())
                .startsWith(
                        "1,000 operations/s, retried for PT10M, at 1 false positive in 1,000,000,000, within 5,000,000"
                                + " bytes: rule");
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
        return plan.liveGenerations() * plan.positions() / (1_000.0 * 60);
    }
}
