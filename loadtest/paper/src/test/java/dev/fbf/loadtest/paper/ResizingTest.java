package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResizingTest {

    private final SimulatedFilter filter = new SimulatedFilter(Rule.CORRECTED, 6_250, 5, 1, 1);
    private final Timeline timeline = new Timeline(filter, Workload.steady(40), 11);

    @Test
    void doublesTheFiltersAndShortensThePeriodNearTheTarget() {
        timeline.runTo(20);
        double fpp = filter.load().equation3();

        assertThat(new Resizing(Rule.CORRECTED, fpp / 0.89).resize(timeline)).isFalse();
        assertThat(new Resizing(Rule.CORRECTED, fpp / 0.91).resize(timeline)).isTrue();
        assertThat(filter.past()).isEqualTo(4);
        assertThat(timeline.periodSeconds()).isEqualTo(10);
    }

    @Test
    void dropsOneFilterAndLengthensThePeriodFarBelowTheTarget() {
        filter.resize(4);
        timeline.runTo(20);
        double fpp = filter.load().equation3();

        assertThat(new Resizing(Rule.CORRECTED, fpp / 0.11).resize(timeline)).isFalse();
        assertThat(new Resizing(Rule.CORRECTED, fpp / 0.09).resize(timeline)).isTrue();
        assertThat(filter.past()).isEqualTo(3);
        assertThat(timeline.periodSeconds()).isEqualTo(12);
    }

    @Test
    void neverHasFewerThanThreeFilters() {
        assertThat(new Resizing(Rule.CORRECTED, 1).resize(timeline)).isFalse();
        assertThat(filter.past()).isEqualTo(1);
    }
}
