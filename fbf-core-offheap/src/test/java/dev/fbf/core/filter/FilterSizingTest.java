package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
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
                .withMessage("retryWindow=" + window + ": must be from PT0.1S to PT720H");
    }

    @ParameterizedTest
    @CsvSource({
        "1000, PT10M, 1e-9",
        "0.001, PT0.1S, 0.1",
        "1, PT1S, 1e-12",
        "50000, PT1H, 1e-6",
        "10000000, PT720H, 1e-12",
        "33.3, PT7.777S, 0.01"
    })
    void plansAFilterThatKeepsThePromise(double rate, Duration window, double probability) {
        FilterPlan plan = new FilterSizing(rate, window, probability).plan();

        assertThat(plan.window()).isGreaterThanOrEqualTo(window);
        assertThat(plan.window()).isLessThan(window.plusMillis(plan.liveGenerations()));
        assertThat(plan.expectedFpp()).isLessThanOrEqualTo(probability);
        assertThat(plan.positions()).isPositive();
        assertThat(plan.bytes()).isPositive();
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
                .startsWith("1,000 operations/s, retried for PT10M, at 1 mistaken in 1,000,000,000:")
                .endsWith(" MB")
                .doesNotContain("\n");
    }

    private static double bitsForAnElement(Rule rule, double probability) {
        FilterPlan plan = FilterPlanner.plan(new FilterSizing(1_000, MINUTE, probability), rule, 4);
        return plan.liveGenerations() * plan.positions() / (1_000.0 * 60);
    }
}
