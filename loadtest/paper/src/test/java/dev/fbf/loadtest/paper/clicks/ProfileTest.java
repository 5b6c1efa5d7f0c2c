package dev.fbf.loadtest.paper.clicks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ProfileTest {

    @Test
    void knowsTheFullestWindow() {
        int[] clicks = new int[3 * Demand.SLICES];
        Arrays.fill(clicks, 2);
        Arrays.fill(clicks, 1_500, 1_600, 10);

        assertThat(new Profile(clicks).mostInWindow()).isEqualTo(2_000 + 800);
    }

    @Test
    void averagesOverPeriodsAndNotOverClicks() {
        int[] clicks = new int[4];
        clicks[0] = 10;

        assertThat(new Profile(clicks).mean(2, ofPeriod -> ofPeriod * ofPeriod)).isEqualTo(50);
        assertThat(new Profile(clicks).mean(1, ofPeriod -> ofPeriod * ofPeriod)).isEqualTo(25);
    }

    @Test
    void hasNoClicksOutsideTheStream() {
        Profile profile = new Profile(new int[] {1, 2, 4});

        assertThat(profile.clicks(-5, 2)).isEqualTo(3);
        assertThat(profile.clicks(2, 9)).isEqualTo(4);
        assertThat(profile.clicks(7, 9)).isZero();
    }
}
