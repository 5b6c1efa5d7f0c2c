package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.pages.Figures;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NetworkReportTest {

    private final Map<Endpoint, Long> counters =
            new EnumMap<>(Map.of(Endpoint.GUARDED, 100L, Endpoint.UNGUARDED, 108L, Endpoint.GROUPED, 100L));
    private long begun = 100;
    private long failed;

    @Test
    void exactCountersAreNoCauseForComplaint() {
        assertThat(report().complaints()).isEmpty();
        assertThat(Figures.of("loadtest-network", "errors", Map.of("figures", report())))
                .isEqualTo("| responses lost | 100 ms |\n| --- | --: |\n| 5 % | +8.0 % |\n");
    }

    @Test
    void anInexactCounterBehindTheGuardFailsTheRun() {
        counters.put(Endpoint.GROUPED, 99L);

        assertThat(report().complaints())
                .containsExactly("loss 5.0 %, delay 100 ms: the grouped counter is 99 after 100 distinct operations:"
                        + " not exactly once");
    }

    @Test
    void anUnguardedCounterThatNoRequestExplainsMeansAMiscount() {
        counters.put(Endpoint.UNGUARDED, 111L);
        assertThat(report().complaints()).singleElement().asString().contains("miscounts");

        counters.put(Endpoint.UNGUARDED, 99L);
        assertThat(report().complaints()).singleElement().asString().contains("miscounts");
    }

    @Test
    void operationsThatFailedOrNeverBeganFailTheRun() {
        failed = 1;
        assertThat(report().complaints()).hasSize(3).allMatch(complaint -> complaint.contains("it is lost"));

        failed = 0;
        begun = 99;
        assertThat(report().complaints()).hasSize(3).allMatch(complaint -> complaint.contains("clients began 99"));
    }

    @Test
    void theTableHasARowForEachNetwork() {
        assertThat(report().table())
                .containsPattern("5.0 % +100 ms +1.100 +\\+0.00 % +1.100 +\\+8.00 % +1.100 +\\+0.00 %")
                .contains("average error without the guard: +8.00 %");
    }

    private NetworkReport report() {
        Map<Endpoint, NetworkReport.Count> counts = new EnumMap<>(Endpoint.class);
        counters.forEach((endpoint, counter) -> counts.put(endpoint, new NetworkReport.Count(100, counter, outcome())));
        return new NetworkReport(List.of(new NetworkReport.Row(0.05, 100, counts)));
    }

    private Tally.Outcome outcome() {
        Optional<String> first = failed > 0 ? Optional.of("it is lost") : Optional.empty();
        return new Tally.Outcome(begun, 110, Map.of(), 100, Map.of(), 1, 2, 3, failed, first);
    }
}
