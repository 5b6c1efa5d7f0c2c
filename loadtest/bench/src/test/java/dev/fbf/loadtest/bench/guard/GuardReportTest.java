package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuardReportTest {

    @Test
    void comparesTheMediansOfAllRounds() {
        List<Turn> turns = new ArrayList<>();
        round(turns, 10_000, 8_000, 5_000, 6_000, 7_000);
        round(turns, 20_000, 17_000, 10_000, 11_000, 12_000);
        round(turns, 30_000, 18_000, 12_000, 15_000, 16_000);

        GuardReport report = GuardReport.of("a machine", 16, 1_000, turns);

        assertThat(report.summaries())
                .extracting(GuardReport.Summary::perSecond)
                .containsExactly(20_000.0, 17_000.0, 10_000.0, 11_000.0, 12_000.0);
        assertThat(report.ratios()).extracting(GuardReport.Ratio::ofMedians).containsExactly(0.85, 1.1, 1.2, 1.7);
        assertThat(report.ratios().get(0).lowest()).isEqualTo(0.6);
        assertThat(report.ratios().get(0).highest()).isEqualTo(0.85);
        assertThat(report.ratios())
                .extracting(GuardReport.Ratio::processor)
                .containsExactly(1.25, 1.05, 0.9, 250.0 / 300);
        assertThat(report.table()).contains("FILTER over PLAIN", "0.85   (≥ 0.85; of single rounds 0.60 … 0.85)");
    }

    private static void round(
            List<Turn> turns, double plain, double filter, double keyInsert, double ledger, double sqlOnly) {
        turns.add(new Turn(GuardContender.PLAIN, plain, 800, 2_000, 100, 100));
        turns.add(new Turn(GuardContender.FILTER, filter, 900, 2_000, 100, 150));
        turns.add(new Turn(GuardContender.KEY_INSERT, keyInsert, 1_000, 3_000, 100, 200));
        turns.add(new Turn(GuardContender.LEDGER, ledger, 1_000, 3_000, 100, 215));
        turns.add(new Turn(GuardContender.LEDGER_SQL_ONLY, sqlOnly, 900, 2_500, 100, 170));
    }
}
