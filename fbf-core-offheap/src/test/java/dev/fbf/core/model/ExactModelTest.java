package dev.fbf.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExactModelTest {

    private static final Percentage ROUNDING = Percentage.withPercentage(1e-6);

    @ParameterizedTest
    @CsvSource({"1, 1.0", "1, 0.5", "2, 1.0", "4, 0.25", "9, 1.0"})
    void oneProbeInEachLineIsTheFreeFilterOfThePapersRule(int past, double elapsed) {
        int slots = 64;
        int lines = 3;
        double load = 0.3; // κn/m
        double elementsPerLine = load * slots;

        assertThat(ExactModel.paper(new Spread(lines, 1, slots), elementsPerLine, past, elapsed))
                .isCloseTo(FalsePositiveModel.EXACT.fpp(load, lines, lines, past, elapsed), ROUNDING);
    }

    @Test
    void oneProbeInEachLineIsTheFreeFilterOfTheSingleRule() {
        double q = Math.exp(-0.3);
        double full = Math.pow(1 - q, 3);
        double present = Math.pow(1 - Math.sqrt(q), 3);

        assertThat(ExactModel.single(new Spread(3, 1, 64), 0.3 * 64, 4, 0.5))
                .isCloseTo(1 - (1 - present) * Math.pow(1 - full, 5), ROUNDING);
    }

    @Test
    void probesThatShareALineAreWrongMoreOftenThanFreeOnes() {
        double free = ExactModel.single(new Spread(12, 1, 64), 12.0, 4, 1);
        double confined = ExactModel.single(new Spread(4, 3, 64), 4.0, 4, 1);
        double oneLine = ExactModel.single(new Spread(1, 4, 64), 4.0 / 3, 4, 1);

        assertThat(confined).isGreaterThan(free);
        assertThat(oneLine).isGreaterThan(confined);
    }

    @Test
    void anEmptyFilterIsNeverWrong() {
        assertThat(ExactModel.single(new Spread(4, 3, 64), 0, 4, 1)).isZero();
        assertThat(ExactModel.paper(new Spread(4, 3, 64), 0, 4, 1)).isZero();
    }

    @Test
    void refusesASpreadThatCannotBe() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Spread(0, 1, 64));
        assertThatIllegalArgumentException().isThrownBy(() -> new Spread(1, 5, 64));
    }
}
