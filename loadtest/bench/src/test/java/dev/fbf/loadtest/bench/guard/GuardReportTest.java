package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.guard.Crowd.Accuracy;
import dev.fbf.loadtest.bench.guard.Crowd.Turn;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class GuardReportTest {

    @Test
    void comparesTheMediansOfAllRoundsOfAWorkload() {
        List<Turn> turns = new ArrayList<>();
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 10_000.0, GuardContender.FILTER, 8_000.0));
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 20_000.0, GuardContender.FILTER, 17_000.0));
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 30_000.0, GuardContender.FILTER, 18_000.0));
        round(turns, Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 12_000.0));

        GuardReport report = GuardReport.of(
                turns,
                Map.of(Workload.ROWS, except(GuardContender.UPDATE, new Accuracy(0.05, 7)), Workload.HOT, exact()));

        GuardReport.Result rows = result(report, Workload.ROWS);
        assertThat(summary(rows, GuardContender.FILTER).perSecond()).isEqualTo(17_000);
        assertThat(summary(rows, GuardContender.FILTER).slowest()).isEqualTo(8_000);
        assertThat(summary(rows, GuardContender.UPDATE).accuracy().error()).isEqualTo(0.05);
        GuardReport.Ratio filter = rows.ratios().get(0);
        assertThat(filter.name()).isEqualTo("FILTER over PLAIN, requests/s");
        assertThat(filter.ofMedians()).isEqualTo(0.85);
        assertThat(filter.lowest()).isEqualTo(0.6);
        assertThat(filter.highest()).isEqualTo(0.85);
        assertThat(filter.processor()).isEqualTo(1.25);
        assertThat(result(report, Workload.HOT).ratios())
                .extracting(GuardReport.Ratio::ofMedians)
                .startsWith(12.0);
        assertThat(report.table()).contains("+5.0%", "0.85  0.60 … 0.85");
        assertThat(report.targets())
                .contains(
                        Target.atLeast("ROWS: FILTER over PLAIN, requests/s", 0.85, 0.85),
                        Target.atLeast("HOT: COUNTERS_LEDGER over UPDATE, requests/s", 6, 5));
    }

    @Test
    void aGuardedContenderThatIsEverWrongMissesItsTarget() {
        List<Turn> turns = new ArrayList<>();
        round(turns, Workload.HOT, Map.of());
        round(turns, Workload.ROWS, Map.of());
        Map<Workload, Map<GuardContender, Accuracy>> accuracies = new EnumMap<>(Workload.class);
        accuracies.put(Workload.HOT, except(GuardContender.LEDGER, new Accuracy(0, 2)));
        accuracies.put(Workload.ROWS, except(GuardContender.UPDATE, new Accuracy(0.05, 7)));

        GuardReport report = GuardReport.of(turns, accuracies);

        assertThat(report.failures()).singleElement().asString().startsWith("LEDGER: ");
        assertThat(report.targets())
                .contains(
                        Target.atMost("wrong counters of LEDGER", 0, 2),
                        Target.atMost("wrong counters of FILTER", 0, 0))
                .noneMatch(target -> target.name().equals("wrong counters of UPDATE"));
    }

    @Test
    void aContenderThatIsLeftOutIsNotInTheTableAndHasNoTarget() {
        List<Turn> turns = new ArrayList<>();
        round(turns, Workload.HOT, Map.of());
        turns.removeIf(turn -> turn.contender() == GuardContender.REDIS);
        Map<GuardContender, Accuracy> accuracies = exact();
        accuracies.remove(GuardContender.REDIS);

        GuardReport report = GuardReport.of(turns, Map.of(Workload.HOT, accuracies));

        assertThat(result(report, Workload.HOT).summaries())
                .extracting(GuardReport.Summary::contender)
                .hasSize(GuardContender.values().length - 1)
                .doesNotContain(GuardContender.REDIS);
        assertThat(report.table().lines()).noneMatch(line -> line.matches("  REDIS +[0-9].*"));
        assertThat(report.targets()).noneMatch(target -> target.name().endsWith(" REDIS"));
    }

    @Test
    void everyContenderHasATurnInEveryWorkload() {
        List<Turn> turns = new ArrayList<>();
        Map<Workload, Map<GuardContender, Accuracy>> accuracies = new EnumMap<>(Workload.class);
        for (Workload workload : Workload.values()) {
            round(turns, workload, Map.of());
            accuracies.put(workload, exact());
        }

        GuardReport report = GuardReport.of(turns, accuracies);

        assertThat(report.results()).hasSize(Workload.values().length);
        for (GuardContender contender : GuardContender.values()) {
            assertThat(report.table()).contains(contender.description());
        }
        Map<String, Object> result = Map.of("figures", report, "targets", report.targets());
        for (String workload : List.of("HOT", "ROWS", "ZIPF", "IDLE")) {
            assertThat(Figures.of("guard", workload, result).lines()).hasSize(2 + GuardContender.values().length);
        }
    }

    @Test
    void pagesShowRatiosOfMedians() {
        List<Turn> turns = new ArrayList<>();
        round(turns, Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 8_590.0));
        round(turns, Workload.HOT_RETRIES, Map.of(GuardContender.COUNTERS, 10_000.0));
        round(turns, Workload.HOT_STORM, Map.of(GuardContender.COUNTERS, 15_000.0));
        round(turns, Workload.ROWS, Map.of(GuardContender.PLAIN, 8_000.0, GuardContender.FILTER, 6_000.0));
        round(turns, Workload.ROWS_STORM, Map.of(GuardContender.KEY_INSERT, 2_000.0));
        Map<Workload, Map<GuardContender, Accuracy>> accuracies = new EnumMap<>(Workload.class);
        turns.forEach(turn -> accuracies.put(turn.workload(), exact()));
        GuardReport report = GuardReport.of(turns, accuracies);
        Map<String, Object> result = Map.of("figures", report, "targets", report.targets());

        assertThat(Figures.of("guard", "HOT", result))
                .contains(
                        "| `COUNTERS` | 8,590 | **8.59** | 8.59 … 8.59 | 2.00 | 3.00 | 0.80 | 2.00 | 3.00 | 1.00 | 100 | 10 |");
        assertThat(Figures.of("guard", "short", result))
                .contains("**8.6 times** as fast", "with 1.00 of its median time; 5.0 times")
                .contains("**2.5 times** as fast as a row for each key")
                .contains("wrong | **0** |");
        assertThat(Figures.of("guard", "cost", result))
                .contains("| a plain transaction | 8,000 |", "`filter` | 6,000 | 0.75 of the plain transaction |");
    }

    @Test
    void thereIsAPlotForEachShareOfRetries(@TempDir Path directory) throws Exception {
        List<Turn> turns = new ArrayList<>();
        round(turns, Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 12_340.0));
        round(turns, Workload.ROWS, Map.of());
        round(turns, Workload.HOT_STORM, Map.of());
        Map<Workload, Map<GuardContender, Accuracy>> accuracies =
                Map.of(Workload.HOT, exact(), Workload.ROWS, exact(), Workload.HOT_STORM, exact());
        Path json = directory.resolve("guard.json");
        Files.writeString(
                json, JsonMapper.shared().writeValueAsString(Map.of("figures", GuardReport.of(turns, accuracies))));

        GuardPlots.main(new String[] {json.toString()});

        assertThat(directory).isDirectoryContaining("glob:**/guard-retries-90.svg");
        assertThat(directory.resolve("guard-retries-0.svg"))
                .content()
                .contains("HOT: one row", "ROWS: 1,000 rows", ">12.34<")
                .doesNotContain("HOT_STORM");
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

    private static Map<GuardContender, Accuracy> exact() {
        Map<GuardContender, Accuracy> accuracies = new EnumMap<>(GuardContender.class);
        for (GuardContender contender : GuardContender.values()) {
            accuracies.put(contender, new Accuracy(0, 0));
        }
        return accuracies;
    }

    private static Map<GuardContender, Accuracy> except(GuardContender wrong, Accuracy accuracy) {
        Map<GuardContender, Accuracy> accuracies = exact();
        accuracies.put(wrong, accuracy);
        return accuracies;
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
