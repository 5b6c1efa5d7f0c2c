package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Figures;
import dev.fbf.loadtest.harness.pages.Plot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class GuardReportTest {

    private static final Map<String, Double> EXACT = accuracy(0, 0);

    private final List<Turn> turns = new ArrayList<>();
    private final Map<Workload, Map<GuardContender, Map<String, Double>>> accuracies = new EnumMap<>(Workload.class);

    @Test
    void comparesTheMediansOfAllRoundsOfAWorkload() {
        round(Workload.ROWS, Map.of(GuardContender.PLAIN, 10_000.0, GuardContender.FILTER, 8_000.0));
        round(Workload.ROWS, Map.of(GuardContender.PLAIN, 20_000.0, GuardContender.FILTER, 17_000.0));
        round(Workload.ROWS, Map.of(GuardContender.PLAIN, 30_000.0, GuardContender.FILTER, 18_000.0));
        round(Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 12_000.0));
        wrong(Workload.ROWS, GuardContender.UPDATE, accuracy(0.05, 7));
        GuardReport report = report();

        GuardReport.Result rows = result(report, Workload.ROWS);
        assertThat(summary(rows, GuardContender.FILTER).get("perSecond")).isEqualTo(17_000);
        assertThat(summary(rows, GuardContender.FILTER).get("slowest")).isEqualTo(8_000);
        assertThat(summary(rows, GuardContender.UPDATE).get("error")).isEqualTo(0.05);
        assertThat(report.table())
                .containsPattern("FILTER .*17,000\\.00 .*8,000\\.00 +18,000\\.00 ")
                .contains("0.05");
        assertThat(report.targets())
                .contains(
                        Target.atLeast("ROWS: FILTER over PLAIN, requests/s", 0.85, 0.85),
                        Target.atLeast("HOT: COUNTERS over UPDATE, requests/s", 12, 12),
                        Target.atLeast("HOT: COUNTERS_LEDGER over UPDATE, requests/s", 6, 5));
    }

    @Test
    void aCounterIsWrongThoughItsErrorCancelsThatOfAnother() {
        assertThat(Crowd.accuracy(List.of(3L, 0L), List.of(3L, 0L))).isEqualTo(EXACT);
        assertThat(Crowd.accuracy(List.of(12L, 10L), List.of(10L, 10L))).isEqualTo(accuracy(0.1, 1));
        assertThat(Crowd.accuracy(List.of(9L, 11L), List.of(10L, 10L))).isEqualTo(accuracy(0, 2));
    }

    @Test
    void aGuardedContenderThatIsEverWrongMissesItsTarget() {
        round(Workload.HOT, Map.of());
        round(Workload.ROWS, Map.of());
        wrong(Workload.HOT, GuardContender.LEDGER, accuracy(0, 2));
        wrong(Workload.ROWS, GuardContender.UPDATE, accuracy(0.05, 7));
        GuardReport report = report();

        assertThat(report.failures()).singleElement().asString().startsWith("LEDGER: ");
        assertThat(report.targets())
                .contains(
                        Target.atMost("wrong counters of LEDGER", 0, 2),
                        Target.atMost("wrong counters of FILTER", 0, 0))
                .noneMatch(target -> target.name().equals("wrong counters of UPDATE"));
    }

    @Test
    void moreIsWantedOfAHotRowWhereTheDiskIsSlow() {
        assertThat(Targets.ofHotRow(60)).isEqualTo(10);
        assertThat(Targets.ofHotRow(150)).isEqualTo(11);
        assertThat(Targets.ofHotRow(2_000)).isEqualTo(12);
    }

    @Test
    void comparesTheServersTimeAndTheBytesOfGroupsWithWhatIsWanted() {
        round(Workload.ROWS, Map.of());
        assertThat(report().targets())
                .contains(
                        Target.atMost("ROWS: COUNTERS over GROUPED_UPSERT, server's processor time", 1.15, 1.25),
                        Target.atMost("ROWS: COUNTERS_LEDGER over GROUPED_UPSERT, server's processor time", 1.6, 1.25),
                        Target.atMost("ROWS: COUNTERS_LEDGER, bytes of the log for an increment", 300, 100),
                        Target.atMost("ROWS: COUNTERS_LEDGER, bytes of tables for an increment", 50, 10));
    }

    @Test
    void ofSomeContendersOnlyThoseAreCompared() {
        for (Workload workload : List.of(Workload.HOT, Workload.ROWS, Workload.ROWS_STORM, Workload.IDLE)) {
            round(workload, Map.of());
        }
        Set<GuardContender> some = EnumSet.of(GuardContender.COUNTERS, GuardContender.GROUPED_UPSERT);
        turns.removeIf(turn -> !some.contains(turn.contender()));
        accuracies.values().forEach(byContender -> byContender.keySet().retainAll(some));
        GuardReport report = report();

        assertThat(plotted(report, "guard-retries-0").get(0).lines().get(0).x())
                .isEqualTo(List.of("GROUPED_UPSERT", "COUNTERS"));
        assertThat(report.targets())
                .extracting(Target::name)
                .containsExactly(
                        "HOT: COUNTERS over GROUPED_UPSERT, server's processor time",
                        "ROWS: COUNTERS over GROUPED_UPSERT, server's processor time",
                        "wrong counters of COUNTERS");
    }

    @Test
    void everyContenderHasATurnInEveryWorkload() {
        for (Workload workload : Workload.values()) {
            round(workload, Map.of());
        }
        GuardReport report = report();

        assertThat(report.results()).hasSize(Workload.values().length);
        for (GuardContender contender : GuardContender.values()) {
            assertThat(report.table()).contains(contender.description());
        }
        for (String workload : List.of("HOT", "ROWS", "ZIPF", "IDLE")) {
            assertThat(onPage(report, workload).lines()).hasSize(2 + GuardContender.values().length);
        }
    }

    @Test
    void pagesShowRatiosOfMedians() {
        round(Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 8_590.0));
        round(Workload.HOT_RETRIES, Map.of(GuardContender.COUNTERS, 10_000.0));
        round(Workload.HOT_STORM, Map.of(GuardContender.COUNTERS, 15_000.0));
        round(Workload.ROWS, Map.of(GuardContender.PLAIN, 8_000.0, GuardContender.FILTER, 6_000.0));
        round(Workload.ROWS_STORM, Map.of(GuardContender.KEY_INSERT, 2_000.0));
        GuardReport report = report();

        assertThat(onPage(report, "HOT"))
                .contains(
                        "| `COUNTERS` | 8,590 | **8.59** | 8.59 … 8.59 | 2.00 | 3.00 | 0.80 | 2.00 | 3.00 | 100 | 1.25 | 1.00 | 100 | 10 |");
        assertThat(onPage(report, "short"))
                .contains(
                        "| … filter mode | 0.75 | 1.20 |", "| … counted by `SqlCounters`: ledger mode | 1.00 | 1.00 |");
    }

    @Test
    void thereIsAPlotForEachShareOfRetries(@TempDir Path directory) throws Exception {
        round(Workload.HOT, Map.of(GuardContender.UPDATE, 1_000.0, GuardContender.COUNTERS, 12_340.0));
        round(Workload.ROWS, Map.of());
        round(Workload.HOT_STORM, Map.of());
        Path json = directory.resolve("guard.json");
        Files.writeString(json, JsonMapper.shared().writeValueAsString(Map.of("figures", report())));
        Plots.main(new String[] {json.toString()});

        assertThat(directory).isDirectoryContaining("glob:**/guard-retries-90.png");
        List<Plot> plots = plotted(report(), "guard-retries-0");
        assertThat(plots).extracting(Plot::title).containsExactly("HOT: one row", "ROWS: 1,000 rows");
        Plot.Line medians = plots.get(0).lines().get(1);
        assertThat(medians.name()).isEqualTo("median");
        assertThat(medians.y().get(medians.x().indexOf("COUNTERS"))).isEqualTo(12.34);
    }

    private static List<Plot> plotted(GuardReport report, String file) {
        return Objects.requireNonNull(Plots.of(report).get(file));
    }

    private static Map<String, Double> accuracy(double error, double wrongCounters) {
        return Map.of("error", error, "wrongCounters", wrongCounters);
    }

    private GuardReport report() {
        return GuardReport.of(turns, accuracies, 200);
    }

    private static String onPage(GuardReport report, String figures) {
        return Figures.of("guard", figures, Map.of("figures", report, "targets", report.targets()));
    }

    private static GuardReport.Result result(GuardReport report, Workload workload) {
        return report.results().stream()
                .filter(result -> result.workload() == workload)
                .findFirst()
                .orElseThrow();
    }

    private static Summary summary(GuardReport.Result result, GuardContender contender) {
        return result.summaries().stream()
                .filter(summary -> summary.contender() == contender)
                .findFirst()
                .orElseThrow();
    }

    /** After a workload that had its rounds. */
    private void wrong(Workload workload, GuardContender contender, Map<String, Double> accuracy) {
        accuraciesAfter(workload).put(contender, accuracy);
    }

    private Map<GuardContender, Map<String, Double>> accuraciesAfter(Workload workload) {
        return accuracies.computeIfAbsent(workload, none -> new EnumMap<>(GuardContender.class));
    }

    /** A turn of each contender, after which all counters are exact. */
    private void round(Workload workload, Map<GuardContender, Double> perSecond) {
        for (GuardContender contender : GuardContender.values()) {
            double rate = perSecond.getOrDefault(contender, 5_000.0);
            double serverMicros = switch (contender) {
                case FILTER -> 150;
                case GROUPED_UPSERT -> 80;
                default -> 100;
            };
            Map<String, Double> figures =
                    new HashMap<>(Map.of("perSecond", rate, "clientMicros", 100.0, "serverMicros", serverMicros));
            figures.putAll(Map.of("p50Micros", 800.0, "p99Micros", 2_000.0, "p999Micros", 3_000.0));
            figures.putAll(Map.of("transactions", 1.0, "walBytes", 100.0, "tableBytes", 10.0));
            turns.add(new Turn(workload.name(), "", contender, figures));
            accuraciesAfter(workload).put(contender, EXACT);
        }
    }
}
