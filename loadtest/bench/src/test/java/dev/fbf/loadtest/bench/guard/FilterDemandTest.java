package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterDemandTest {

    private static final long MEBIBYTE = 1 << 20;

    @ParameterizedTest
    @ValueSource(longs = {1, 256, 8_192})
    void aLongerWindowMakesALargerFilter(long mebibytes) {
        FilterSizing demand = FilterDemand.ofRate(100_000, mebibytes * MEBIBYTE);

        assertThat(demand.expectedOperationsPerSecond()).isEqualTo(100_000);
        assertThat(demand.plan().bytes()).isCloseTo(mebibytes * MEBIBYTE, withinPercentage(10));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3_600, 2_592_000})
    void theLongerTheWindowTheLowerIsTheRateOfAFilterOfTheSameSize(long seconds) {
        FilterSizing demand = FilterDemand.ofWindow(Duration.ofSeconds(seconds), 64 * MEBIBYTE);

        assertThat(demand.plan().bytes()).isCloseTo(64 * MEBIBYTE, withinPercentage(10));
    }

    @Test
    void anApplicationIsToldTheDemand() {
        FilterSizing demand = new FilterSizing(2.5, Duration.ofSeconds(90), 1e-9);

        assertThat(FilterDemand.properties(demand))
                .containsEntry("fbf.retry-window", "90000ms")
                .containsEntry("fbf.expected-operations-per-second", "2.5")
                .containsEntry("fbf.max-size", demand.plan().bytes() + "B");
    }
}
