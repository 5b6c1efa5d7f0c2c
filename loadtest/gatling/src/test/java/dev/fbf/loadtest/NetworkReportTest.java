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

    private static Tally.Outcome outcome() {
        return new Tally.Outcome(100, 110, Map.of(), 100, Map.of(), 1, 2, 3, 0, Optional.empty());
    }
}
