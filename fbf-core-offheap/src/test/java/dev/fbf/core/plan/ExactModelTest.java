package dev.fbf.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ExactModelTest {

    private static final Percentage ROUNDING = Percentage.withPercentage(1e-6);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void agreesWithASimulationOfRandomBits(int past) {
        Random random = new Random(42);
        double load = 0.2;
        double elapsed = 0.5;
        int trials = 2_000_000;
        int probes = 3;
        long found = 0;
        for (int trial = 0; trial < trials; trial++) {
            found += simulate(random, past, probes, Math.exp(-load), Math.exp(-load * elapsed)) ? 1 : 0;
        }

        assertThat(ExactModel.paper(Spread.free(probes), load, past, elapsed))
                .isCloseTo((double) found / trials, Offset.offset(0.03 * found / trials));
    }

    /** One absent element against random periods, by the definition of the paper's rule. */
    private static boolean simulate(Random random, int past, int probes, double missed, double missedNow) {
        boolean[] positive = new boolean[past + 2];
        Arrays.fill(positive, true);
        for (int probe = 0; probe < probes; probe++) {
            boolean newerPeriod = random.nextDouble() >= missedNow;
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
        double q = Math.exp(-0.3);
        double full = Math.pow(1 - q, 3);
        double present = Math.pow(1 - Math.sqrt(q), 3);

        assertThat(ExactModel.single(Spread.free(3), 0.3, 4, 0.5))
                .isCloseTo(1 - (1 - present) * Math.pow(1 - full, 5), ROUNDING);
    }
}
