package dev.fbf.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class FppModelTest {

    private static final Percentage ROUNDING = Percentage.withPercentage(1e-6);

    /** Three probes anywhere, as in the paper. */
    private static final Spread FREE = new Spread(3, 1, 1);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void byThePapersRuleItIsNotMuchHigherThanInASimulationOfRandomBits(int past) {
        Random random = new Random(42);
        double load = 0.2;
        int trials = 2_000_000;
        long found = 0;
        for (int trial = 0; trial < trials; trial++) {
            found += simulate(random, past, Math.exp(-load)) ? 1 : 0;
        }

        assertThat(FppModel.highest(Rule.PAPER, FREE, past, load) * trials / found)
                .isBetween(0.97, 1.15);
    }

    /** One absent element against random periods, by the definition of the paper's rule. */
    private static boolean simulate(Random random, int past, double missed) {
        boolean[] positive = new boolean[past + 2];
        Arrays.fill(positive, true);
        for (int probe = 0; probe < FREE.probes(); probe++) {
            boolean newerPeriod = random.nextDouble() >= missed;
            positive[0] &= newerPeriod;
            for (int generation = 1; generation <= past + 1; generation++) {
                boolean olderPeriod = random.nextDouble() >= missed;
                positive[generation] &= newerPeriod || olderPeriod;
                newerPeriod = olderPeriod;
            }
        }
        boolean found = positive[0] || positive[past + 1];
        for (int generation = 1; generation <= past; generation++) {
            found |= positive[generation] && positive[generation + 1];
        }
        return found;
    }

    @Test
    void theGenerationsOfTheSingleRuleAreIndependent() {
        double full = Math.pow(1 - Math.exp(-0.3), 3);
        double present = Math.pow(1 - Math.exp(-0.15), 3);

        assertThat(FppModel.of(Rule.SINGLE, FREE, new double[] {0.15, 0.3, 0.3, 0}))
                .isCloseTo(1 - (1 - present) * Math.pow(1 - full, 2), ROUNDING);
        assertThat(FppModel.highest(Rule.SINGLE, FREE, 1, 0.3)).isCloseTo(1 - Math.pow(1 - full, 3), ROUNDING);
    }
}
