package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PoissonTest {

    @Test
    void isOneMinusTheProbabilityOfFewer() {
        assertThat(Poisson.atLeast(0, 0)).isEqualTo(1);
        assertThat(Poisson.atLeast(0, 3)).isEqualTo(1);
        assertThat(Poisson.atLeast(1, 0)).isZero();
        assertThat(Poisson.atLeast(1, 2)).isCloseTo(1 - Math.exp(-2), within(1e-12));
        assertThat(Poisson.atLeast(3, 2)).isCloseTo(1 - Math.exp(-2) * (1 + 2 + 2), within(1e-12));
    }

    @Test
    void tellsSmallProbabilitiesFromZeroAndKnowsThatManyComeWhereManyAreExpected() {
        assertThat(Poisson.atLeast(1, 1e-30)).isCloseTo(1e-30, within(1e-40));
        assertThat(Poisson.atLeast(2, 1e-10)).isCloseTo(0.5e-20, within(1e-28));
        assertThat(Poisson.atLeast(1, 2_000)).isCloseTo(1, within(1e-9));
        assertThat(Poisson.atLeast(2_000, 2_000)).isBetween(0.49, 0.52);
        assertThat(Poisson.atLeast(2_500, 2_000)).isLessThan(1e-20);
    }
}
