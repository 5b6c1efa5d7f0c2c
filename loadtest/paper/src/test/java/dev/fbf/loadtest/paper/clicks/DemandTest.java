package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DemandTest {

    @Test
    void knowsTheFullestWindow() {
        int[] clicks = new int[3 * Demand.SLICES];
        Arrays.fill(clicks, 2);
        Arrays.fill(clicks, 1_500, 1_600, 10);

        assertThat(new Demand(clicks).clicks()).isEqualTo(2_000 + 800);
    }

    @Test
    void averagesOverPeriodsAndNotOverClicks() {
        Demand demand = new Demand(10, 0, 0, 0);

        assertThat(demand.mean(2, ofPeriod -> ofPeriod * ofPeriod)).isEqualTo(50);
        assertThat(demand.mean(1, ofPeriod -> ofPeriod * ofPeriod)).isEqualTo(25);
    }
}
