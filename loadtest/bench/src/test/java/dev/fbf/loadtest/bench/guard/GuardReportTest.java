package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GuardReportTest {

    @Test
    void comparesTheMediansOfAllRoundsOfAWorkload() {
        List<Turn> turns = new ArrayList<>();
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 10_000.0, GuardContender.FILTER, 8_000.0));
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 20_000.0, GuardContender.FILTER, 17_000.0));
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 30_000.0, GuardContender.FILTER, 18_000.0));
        round(turns, Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 12_000.0));

        GuardReport report = GuardReport.of(
                "a machine",
                16,
                turns,
                Map.of(Workload.ROWS, errors(GuardContender.UPDATE, 0.05), Workload.HOT, exact()));

        GuardReport.Result rows = result(report, Workload.ROWS);
        assertThat(summary(rows, GuardContender.FILTER).perSecond()).isEqualTo(17_000);
        assertThat(summary(rows, GuardContender.FILTER).slowest()).isEqualTo(8_000);
        assertThat(summary(rows, GuardContender.UPDATE).error()).isEqualTo(0.05);
        GuardReport.Ratio filter = rows.ratios().get(0);
        assertThat(filter.name()).isEqualTo("FILTER over PLAIN, requests/s");
        assertThat(filter.ofMedians()).isEqualTo(0.85);
        assertThat(filter.lowest()).isEqualTo(0.6);
        assertThat(filter.highest()).isEqualTo(0.85);
        assertThat(filter.processor()).isEqualTo(1.25);
        assertThat(result(report, Workload.HOT).ratios())
                .extracting(GuardReport.Ratio::ofMedians)
                .startsWith(12.0);
        assertThat(report.table()).contains("0.85   (≥ 0.85; of single rounds 0.60 … 0.85)", "+5.0%", "12.00   (≥ 10;");
    }

    @Test
    void everyContenderHasATurnInEveryWorkload() {
        List<Turn> turns = new ArrayList<>();
        Map<Workload, Map<GuardContender, Double>> errors = new EnumMap<>(Workload.class);
        for (Workload workload : Workload.values()) {
            round(turns, workload, Map.of());
            errors.put(workload, exact());
        }

        GuardReport report = GuardReport.of("a machine", 16, turns, errors);

        assertThat(report.results()).hasSize(Workload.values().length);
        for (GuardContender contender : GuardContender.values()) {
            assertThat(report.table()).contains(contender.description());
        }
    }

    private static GuardReport.Result result(GuardReport report, Workload workload) {
        return report.results().stream()
                .filter(result -> result.workload() == workload)
                .findFirst()
                .orElseThrow();
    }

    private static GuardReport.Summary summary(GuardReport.Result result, GuardContender contender) {
        return result.summaries().stream()
                .filter(summary -> summary.contender() == contender)
                .findFirst()
                .orElseThrow();
    }

    private static Map<GuardContender, Double> exact() {
        return errors(GuardContender.UPDATE, 0);
    }

    private static Map<GuardContender, Double> errors(GuardContender wrong, double error) {
        Map<GuardContender, Double> errors = new EnumMap<>(GuardContender.class);
        for (GuardContender contender : GuardContender.values()) {
            errors.put(contender, contender == wrong ? error : 0);
        }
        return errors;
    }

    private static void round(List<Turn> turns, Workload workload, Map<GuardContender, Double> perSecond) {
        for (GuardContender contender : GuardContender.values()) {
            double serverMicros = contender == GuardContender.FILTER ? 150 : 100;
            turns.add(new Turn(
                    workload,
                    contender,
                    perSecond.getOrDefault(contender, 5_000.0),
                    800,
                    2_000,
                    3_000,
                    100,
                    serverMicros,
                    1,
                    100,
                    10));
        }
    }
}
