package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.pages.Figures;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportTest {

    private final KnownReport known = new KnownReport();

    @Test
    void anExactCounterIsNoCauseForComplaint() {
        assertThat(known.report().complaints()).isEmpty();
        assertThat(Figures.of("loadtest", "counters", Map.of("figures", known.report())))
                .contains("| distinct operations | 10 | 10 |", "| counter | **10** |", "| error | **0** |");
    }

    @Test
    void oneTooManyFailsTheRun() {
        assertThat(known.guardedCounter(11).report().complaints())
                .containsExactly("faults: the guarded counter is 11 after 10 distinct operations: not exactly once");
    }

    @Test
    void soDoesOneTooManyAmongTheGrouped() {
        assertThat(known.groupedCounter(11).report().complaints())
                .containsExactly("faults: the grouped counter is 11 after 10 distinct operations: not exactly once");
    }

    @Test
    void oneTooFewFailsTheRun() {
        assertThat(known.guardedCounter(9).report().complaints()).hasSize(1);
    }

    @Test
    void aMiscountWithoutFaultsFailsTheRun() {
        assertThat(known.guardedCounterWithoutFaults(21).report().complaints())
                .singleElement()
                .asString()
                .startsWith("no-faults: the guarded counter is 21");
    }

    @Test
    void anUnacknowledgedOperationFailsTheRun() {
        assertThat(known.failed(1).report().complaints())
                .contains("faults: 1 guarded operations stayed unacknowledged; the first: it is lost");
    }

    @Test
    void anOperationThatNeverBeganFailsTheRun() {
        assertThat(known.begun(9).report().complaints()).contains("faults: clients began 9 guarded operations, not 10");
    }

    @Test
    void anUnguardedCounterBeyondTheRequestsSentMeansThatSomebodyResendsInSecret() {
        assertThat(known.unguardedCounter(26).report().complaints())
                .singleElement()
                .asString()
                .contains("miscounts");
        assertThat(known.unguardedCounter(20).report().complaints())
                .singleElement()
                .asString()
                .contains("miscounts");
    }

    @Test
    void comparesHalfwayResponseTimesWithoutFaults() {
        assertThat(known.report().ratio()).containsEntry(Endpoint.GUARDED, 1.25).containsEntry(Endpoint.GROUPED, 0.75);
    }
}
