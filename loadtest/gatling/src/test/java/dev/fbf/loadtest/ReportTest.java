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

/** Of tallies that we know: ten operations over a bad network. */
class ReportTest {

    private final Map<Endpoint, Long> counters =
            new EnumMap<>(Map.of(Endpoint.GUARDED, 10L, Endpoint.UNGUARDED, 24L, Endpoint.GROUPED, 10L));
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
                .containsExactlyInAnyOrder(
                        "faults: the guarded counter is 11 after 10 distinct operations: not exactly once",
                        "faults: the grouped counter is 9 after 10 distinct operations: not exactly once");
    }

    @Test
    void anOperationThatIsNotAcknowledgedOrNeverBeganFailsTheRun() {
        failed = 1;
        begun = 9;
        assertThat(report().complaints())
                .contains(
                        "faults: 1 guarded operations stayed unacknowledged; the first: it is lost",
                        "faults: clients began 9 guarded operations, not 10");
    }

    @Test
    void anUnguardedCounterBeyondTheRequestsSentMeansThatSomebodyResendsInSecret() {
        counters.put(Endpoint.UNGUARDED, 26L);
        assertThat(report().complaints()).singleElement().asString().contains("miscounts");
        counters.put(Endpoint.UNGUARDED, 20L);
        assertThat(report().complaints()).singleElement().asString().contains("miscounts");
    }

    private Report report() {
        Map<Cause, Long> causes = Map.of(Cause.ON_PURPOSE, 11L, Cause.LOST_RESPONSE, 4L);
        Tally.Outcome outcome =
                new Tally.Outcome(begun, 25, causes, 21, 3.25, 1234.5678, 2000.5, failed, Optional.of("it is lost"));
        Map<Endpoint, Count> endpoints = new EnumMap<>(Endpoint.class);
        counters.forEach((endpoint, counter) -> endpoints.put(endpoint, new Count(10, counter, outcome)));
        return new Report(List.of(new Row("faults", 0.05, 100, endpoints)));
    }
}
