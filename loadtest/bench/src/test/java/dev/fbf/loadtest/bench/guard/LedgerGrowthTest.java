package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.harness.pages.Plot.Style;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LedgerGrowthTest {

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void aRetryAtAnotherNodeIsComparedWithAnInsertBesideTheLargestLedger() {
        for (double micros : new double[] {90, 100, 300}) {
            turn(0, "insert", micros);
            turn(1_000_000, "insert", 2 * micros);
        }
        turn(0, "retry, other node", 90);
        turn(1_000_000, "retry, other node", 130);
        LedgerGrowth.Report report = LedgerGrowth.Report.of(turns);

        assertThat(report.targets())
                .containsExactly(Target.atMost(
                        "1,000,000 rows: server's processor time of a retry at another node over an insert",
                        0.6,
                        0.65));
        assertThat(report.table()).containsPattern("insert +LEDGER .*200\\.00");
        List<Plot> plots = Objects.requireNonNull(Plots.of(report).get("ledger-growth-costs"));
        assertThat(plots.get(0).lines())
                .contains(new Plot.Line("insert", List.of("0", "1,000,000"), List.of(100.0, 200.0), Style.SOLID));
        assertThat(Figures.of("ledger-growth", "costs", Map.of("figures", report)))
                .contains("| | | per second, 0 rows | server µs | WAL bytes | per second, 1,000,000 rows |")
                .contains("| insert | `LEDGER` | 500 | 100 | 70 | 500 | 200 | 70 |");
    }

    private void turn(long rows, String work, double serverMicros) {
        Map<String, Double> figures = new HashMap<>(Map.of("perSecond", 500.0, "walBytes", 70.0));
        figures.put("serverMicros", serverMicros);
        turns.add(new Turn(Long.toString(rows), work, GuardContender.LEDGER, figures));
        turns.add(new Turn(Long.toString(rows), work, GuardContender.COUNTERS_LEDGER, figures));
    }
}
