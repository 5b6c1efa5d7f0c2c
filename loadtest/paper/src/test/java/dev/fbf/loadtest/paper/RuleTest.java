package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleTest {

    private static final int PERIOD = 5;

    @Test
    void aLonePresentOrMiddleGenerationIsNoAnswerInThePapersRules() {
        for (Rule rule : new Rule[] {Rule.AS_PRINTED, Rule.CORRECTED}) {
            assertThat(rule.present(0b0010, 2)).isFalse();
            assertThat(rule.present(0b0100, 2)).isFalse();
            assertThat(rule.present(0b0101, 2)).as("future answers alone").isTrue();
            assertThat(rule.present(0b0110, 2)).as("two neighbours").isTrue();
            assertThat(rule.present(0b0001, 2)).isTrue();
        }
    }

    @Test
    void asPrintedAsksTheOldestOnlyOfThreeFilters() {
        assertThat(Rule.AS_PRINTED.present(0b100, 1)).isTrue();
        assertThat(Rule.AS_PRINTED.present(0b1000, 2)).isFalse();
        assertThat(Rule.CORRECTED.present(0b1000, 2)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void correctedAndSingleRememberForNPlusOnePeriods(int past) {
        assertThat(remembered(Rule.CORRECTED, past)).isBetween((past + 1) * PERIOD, (past + 2) * PERIOD);
        assertThat(remembered(Rule.SINGLE, past)).isBetween((past + 1) * PERIOD, (past + 2) * PERIOD);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5})
    void asPrintedForgetsOnePeriodEarly(int past) {
        assertThat(remembered(Rule.AS_PRINTED, past)).isEqualTo(remembered(Rule.CORRECTED, past) - PERIOD);
    }

    /** For how many seconds the filter knows an element that is inserted within the first one, when nothing follows. */
    private static int remembered(Rule rule, int past) {
        Timeline timeline = new Timeline(new SimulatedFilter(rule, 1_000, 3, past, 1), seconds -> 1, PERIOD);
        int seconds = 1;
        timeline.runTo(seconds);
        while (timeline.filter().mightContain(0)) {
            timeline.runTo(++seconds);
        }
        return seconds - 1;
    }
}
