package dev.fbf.core.model;

import static dev.fbf.core.model.FalsePositiveModel.EXACT;
import static dev.fbf.core.model.FalsePositiveModel.PAPER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FalsePositiveModelTest {

    private static final double POSITIONS = 10_000;
    private static final int PROBES = 5;

    @Test
    void paperModelIsEquation2ForThreeGenerations() {
        double future = single(300);
        double present = single(600);
        double past = single(600);

        assertThat(PAPER.fpp(300, POSITIONS, PROBES, 1, 1))
                .isCloseTo(1 - (1 - future) * (1 - present * past) * (1 - past), within(1e-15));
    }

    @Test
    void paperModelIsEquation3ForFiveGenerations() {
        double future = single(150);
        double present = single(450);
        double past = single(600);

        double absent = (1 - future) * (1 - present * past) * Math.pow(1 - past * past, 2) * (1 - past);
        assertThat(PAPER.fpp(300, POSITIONS, PROBES, 3, 0.5)).isCloseTo(1 - absent, within(1e-15));
    }

    @Test
    void exactModelOfThreeGenerationsIsTheOldestOrTheFuture() {
        // present and past together are within the past alone
        double future = single(300);
        double past = single(600);

        assertThat(EXACT.fpp(300, POSITIONS, PROBES, 1, 1))
                .isCloseTo(future + past - future * past, Percentage.withPercentage(0.001));
    }

    @Test
    void aPairOfNeighboursIsAsLikelyAsWhatTheyShareMakesIt() {
        double q = Math.exp(-PROBES * 300 / POSITIONS);
        double onePairMore = EXACT.fpp(300, POSITIONS, PROBES, 9, 1) - EXACT.fpp(300, POSITIONS, PROBES, 8, 1);
        double pair = Math.pow((1 - q) * (1 + q - q * q), PROBES);

        // each further pair adds itself, less what it has in common with the one before
        assertThat(onePairMore).isBetween(pair * 0.8, pair);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8})
    void exactModelAgreesWithASimulationOfRandomBits(int past) {
        Random random = new Random(42);
        double load = 0.2;
        double elapsed = 0.5;
        int trials = 2_000_000;
        int probes = 3;
        long found = 0;
        for (int trial = 0; trial < trials; trial++) {
            found += simulate(random, past, probes, Math.exp(-load), Math.exp(-load * elapsed)) ? 1 : 0;
        }

        double elements = load * POSITIONS / probes;
        assertThat(EXACT.fpp(elements, POSITIONS, probes, past, elapsed))
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

    /** Equation 1. */
    private static double single(double elements) {
        return Math.pow(1 - Math.exp(-PROBES * elements / POSITIONS), PROBES);
    }
}
