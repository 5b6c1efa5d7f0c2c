package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.Report.Count;
import dev.fbf.loadtest.Report.Row;
import dev.fbf.loadtest.Tally.Cause;
import dev.fbf.loadtest.harness.pages.Figures;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Of tallies that we know: ten operations over a bad network, twenty over a good one. */
class ReportTest {

    private final Map<Endpoint, Long> counters =
            new EnumMap<>(Map.of(Endpoint.GUARDED, 10L, Endpoint.UNGUARDED, 24L, Endpoint.GROUPED, 10L));
    private long guardedCounterWithoutFaults = 20;
    private long begun = 10;
    private long failed;

    @Test
    void exactCountersAreNoCauseForComplaint() {
        assertThat(report().complaints()).isEmpty();
        assertThat(Figures.of("loadtest", "counters", Map.of("figures", report())))
                .contains("| distinct operations | 10 | 10 |", "| counter | **10** |", "| error | **0** |")
                .contains("| requests sent | 25 | 25 |");
        assertThat(Figures.of("loadtest-network", "errors", Map.of("figures", report())))
                .isEqualTo("| responses lost | 100 ms |\n| --- | --: |\n| 5 % | +140.0 % |\n");
    }

    @Test
    void oneTooManyOrTooFewFailsTheRun() {
        counters.put(Endpoint.GUARDED, 11L);
        counters.put(Endpoint.GROUPED, 9L);
        assertThat(report().complaints())
                .containsExactly(
                        "faults: the guarded counter is 11 after 10 distinct operations: not exactly once",
                        "faults: the grouped counter is 9 after 10 distinct operations: not exactly once");
    }

    @Test
    void aMiscountWithoutFaultsFailsTheRun() {
        guardedCounterWithoutFaults = 21;
        assertThat(report().complaints()).singleElement().asString().startsWith("no-faults: the guarded counter is 21");
    }

    @Test
    void anUnacknowledgedOperationFailsTheRun() {
        failed = 1;
        assertThat(report().complaints())
                .contains("faults: 1 guarded operations stayed unacknowledged; the first: it is lost");
    }

    @Test
    void anOperationThatNeverBeganFailsTheRun() {
        begun = 9;
        assertThat(report().complaints()).contains("faults: clients began 9 guarded operations, not 10");
    }

    @Test
    void anUnguardedCounterBeyondTheRequestsSentMeansThatSomebodyResendsInSecret() {
        counters.put(Endpoint.UNGUARDED, 26L);
        assertThat(report().complaints()).singleElement().asString().contains("miscounts");
        counters.put(Endpoint.UNGUARDED, 20L);
        assertThat(report().complaints()).singleElement().asString().contains("miscounts");
    }

    @Test
    void comparesHalfwayResponseTimesWithoutFaults() {
        assertThat(report().ratio()).containsEntry(Endpoint.GUARDED, 1.25).containsEntry(Endpoint.GROUPED, 0.75);
    }

    @Test
    void theTableHasARowForEachNetworkAndEndpoint() {
        assertThat(report().table())
                .containsPattern("no-faults +guarded +20 +20 .* 20 +\\+0.00 % +1.500 +9.750\n")
                .containsPattern("faults +unguarded +10 +25 +11 +4 .* 24 +\\+140.00 % +3.250 +1234.568\n")
                .contains("average error without the guard, over bad networks: +140.00 %");
    }

    private Report report() {
        Map<Endpoint, Count> faults = new EnumMap<>(Endpoint.class);
        Map<Endpoint, Count> noFaults = new EnumMap<>(Endpoint.class);
        counters.forEach((endpoint, counter) -> {
            faults.put(endpoint, new Count(10, counter, faults()));
            noFaults.put(
                    endpoint,
                    new Count(20, endpoint == Endpoint.GUARDED ? guardedCounterWithoutFaults : 20, noFaults(endpoint)));
        });
        return Report.of(List.of(new Row("faults", 0.05, 100, faults)), new Row("no-faults", 0, 0, noFaults));
    }

    private Tally.Outcome faults() {
        return new Tally.Outcome(
                begun,
                25,
                Map.of(Cause.ON_PURPOSE, 11L, Cause.LOST_RESPONSE, 4L),
                21,
                3.25,
                1234.5678,
                2000.5,
                failed,
                Optional.of("it is lost"));
    }

    private static Tally.Outcome noFaults(Endpoint endpoint) {
        double p50Millis = switch (endpoint) {
            case GUARDED -> 1.5;
            case UNGUARDED -> 1.2;
            case GROUPED -> 0.9;
        };
        return new Tally.Outcome(20, 20, Map.of(), 20, p50Millis, 9.75, 9.875, 0, Optional.empty());
    }
}
