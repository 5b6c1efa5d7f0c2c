package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FilterTallyTest {

    private final FilterTally tally = new FilterTally();

    @Test
    void tellsGrowthFromShrinkingAndDoesNotCountTheFirstArena() {
        look(100);
        assertGrownAndShrunk(0, 0);
        look(200);
        look(200);
        assertGrownAndShrunk(1, 0);
        assertThat(tally.isLarge()).isTrue();
        look(100);
        assertGrownAndShrunk(1, 1);
        assertThat(tally.isLarge()).isFalse();
    }

    @Test
    void expectsAsManyFalsePositivesAsTheHigherOfTwoEstimatesSays() {
        mistaken(0.001, 0);
        mistaken(0.002, 1_000);
        assertThat(tally.expectedFalsePositives()).isCloseTo(2, within(1e-9));
        mistaken(0, 2_000);
        assertThat(tally.expectedFalsePositives()).isCloseTo(4, within(1e-9));
        mistaken(0, 3_000);
        assertThat(tally.expectedFalsePositives()).isCloseTo(4, within(1e-9));
    }

    @Test
    void countsTheRefreshesOfOneArena() {
        refreshed(100, 5);
        refreshed(100, 6);
        refreshed(100, 7);
        refreshed(100, 1);
        refreshed(200, 0);
        refreshed(200, 3);
        refreshed(200, 2);
        assertThat(tally.refreshes()).isEqualTo(2);
    }

    private void look(long bytes) {
        tally.look(bytes, 0, Duration.ZERO, 0);
    }

    private void mistaken(double fpp, long begun) {
        tally.look(100, fpp, Duration.ZERO, begun);
    }

    private void refreshed(long bytes, long secondsAgo) {
        tally.look(bytes, 0, Duration.ofSeconds(secondsAgo), 0);
    }

    private void assertGrownAndShrunk(long grown, long shrunk) {
        assertThat(tally.grown()).isEqualTo(grown);
        assertThat(tally.shrunk()).isEqualTo(shrunk);
    }
}
