package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PaperModelTest {

    private static final double POSITIONS = 10_000;
    private static final int PROBES = 5;

    @Test
    void isEquation2ForThreeGenerations() {
        double future = single(300);
        double present = single(600);
        double past = single(600);

        assertThat(PaperModel.fpp(300, POSITIONS, PROBES, 1, 1))
                .isCloseTo(1 - (1 - future) * (1 - present * past) * (1 - past), within(1e-15));
    }

    @Test
    void isEquation3ForFiveGenerations() {
        double future = single(150);
        double present = single(450);
        double past = single(600);

        double absent = (1 - future) * (1 - present * past) * Math.pow(1 - past * past, 2) * (1 - past);
        assertThat(PaperModel.fpp(300, POSITIONS, PROBES, 3, 0.5)).isCloseTo(1 - absent, within(1e-15));
    }

    /** Equation 1. */
    private static double single(double elements) {
        return Math.pow(1 - Math.exp(-PROBES * elements / POSITIONS), PROBES);
    }
}
