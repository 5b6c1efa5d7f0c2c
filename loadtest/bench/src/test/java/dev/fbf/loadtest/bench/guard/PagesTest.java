package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.Contender;
import dev.fbf.loadtest.bench.Report;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.Workload;
import dev.fbf.loadtest.harness.pages.Figures;
import dev.fbf.loadtest.harness.pages.Plot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages and plots that reports of this shape give, and the verdict of the guard benchmark. */
class PagesTest {

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void ofTheGuardBenchmark() {
        for (String workload : List.of("HOT", "HOT_RETRIES", "HOT_STORM", "ROWS", "ROWS_STORM")) {
            for (GuardContender contender : GuardContender.values()) {
                turn(workload, contender, workload.equals("HOT_STORM") ? 15_000 : 5_000);
            }
        }
        turns.removeIf(turn -> turn.workload().equals("HOT") && turn.contender() == GuardContender.COUNTERS);
        turn("HOT", GuardContender.COUNTERS, 8_590);

        assertThat(onPage("guard/HOT"))
                .contains(
                        "| `COUNTERS` | 8,590 | **1.72** | 1.72 … 1.72 | 1.00 | 1.00 | 0.80 | 2.00 | 3.00 | 100 | 1.00 | 1.00 | 70 | 10 |");
        assertThat(onPage("guard/short")).contains("| … filter mode | 1.72 | 1.72 |");
    }

    @Test
    void ofCurvesWithAnEmptyCellWhereAContenderTookNoPart() {
        turn("1x1", GuardContender.UPDATE, 4_000);
        turn("1x1", GuardContender.COUNTERS, 3_000);
        turn("64x1", GuardContender.COUNTERS, 50_000);
        turn("16x1", GuardContender.COUNTERS, 20_000);
        turn("16x1000", GuardContender.COUNTERS, 10_000);

        assertThat(onPage("curves/clients"))
                .contains(
                        "| 1 | 4,000 | 0.80 | 100.0 | 3,000 | 0.80 | 100.0 |",
                        "| 64 |  |  |  | 50,000 | 0.80 | 100.0 |")
                .doesNotContain("10,000");
        assertThat(onPage("curves/rows"))
                .contains("| 1 | 20,000 | 0.80 | 100.0 |", "| 1,000 | 10,000 | 0.80 | 100.0 |")
                .doesNotContain("50,000");
    }

    @Test
    void ofTheLedgerThatGrows() {
        for (String rows : List.of("0", "1,000,000")) {
            turn("purge, " + rows + " rows", GuardContender.LEDGER, 4_000);
            turn("insert, " + rows + " rows", GuardContender.LEDGER, 500);
            turn("insert, " + rows + " rows", GuardContender.COUNTERS_LEDGER, 600);
        }

        assertThat(onPage("ledger-growth/costs"))
                .contains("| insert, 1,000,000 rows | 500 | 100 | 70 | 600 | 100 | 70 |")
                .contains("| purge, 0 rows | 4,000 | 100 | 70 |  |  |  |");
    }

    @Test
    void ofTheFilters() {
        for (Contender contender : Contender.values()) {
            turns.add(filterTurn("check, 64 MiB", contender, contender == Contender.GUAVA_N4 ? 200 : 400));
            turns.add(filterTurn("put, 64 MiB", contender, 210));
        }

        assertThat(onPage("bench/filters"))
                .contains("| check, N = 4 | 400 ns | 200 ns (six in rotation) |", "| put | 210 ns | 210 ns (one) |");
    }

    @Test
    void aPlotHasTheRatesOverThoseOfUpdate(@TempDir Path directory) throws Exception {
        turn("ROWS_STORM", GuardContender.UPDATE, 1_000);
        turn("ROWS_STORM", GuardContender.COUNTERS, 12_340);
        Report report = Report.of(turns);
        Plots.draw(report, directory);

        assertThat(directory).isDirectoryContaining("glob:**/guard-retries-90.png");
        Plot plot =
                Plots.plot(Workload.of("ROWS_STORM"), report.results().get(0).summaries());
        assertThat(plot.title()).isEqualTo("ROWS_STORM: 1,000 rows");
        Plot.Line medians = plot.lines().get(1);
        assertThat(medians.name()).isEqualTo("median");
        assertThat(medians.y()).containsExactly(1.0, 12.34);
    }

    @Test
    void aGuardedContenderWithAWrongCounterFails() {
        assertThat(GuardBench.failures(Map.of(GuardContender.LEDGER, 2L, GuardContender.FILTER, 0L)))
                .singleElement()
                .asString()
                .startsWith("LEDGER: 2 ");
        assertThat(GuardContender.LEDGER.isGuarded()).isTrue();
        assertThat(GuardContender.UPDATE.isGuarded()).isFalse();
    }

    @Test
    void moreIsWantedOfAHotRowWhereTheDiskIsSlow() {
        assertThat(GuardBench.ofHotRow(60)).isEqualTo(10);
        assertThat(GuardBench.ofHotRow(150)).isEqualTo(11);
        assertThat(GuardBench.ofHotRow(2_000)).isEqualTo(12);
    }

    private String onPage(String block) {
        String[] names = block.split("/", 2);
        return Figures.of(names[0], names[1], Map.of("figures", Report.of(turns), "targets", List.of()));
    }

    private void turn(String workload, GuardContender contender, double perSecond) {
        Map<String, Double> figures = new TreeMap<>(Map.of("perSecond", perSecond, "serverMicros", 100.0));
        figures.putAll(Map.of("p50Micros", 800.0, "p99Micros", 2_000.0, "p999Micros", 3_000.0));
        figures.putAll(Map.of("transactions", 1.0, "walBytes", 70.0, "tableBytes", 10.0));
        turns.add(new Turn(workload, contender, figures));
    }

    private static Turn filterTurn(String workload, Contender contender, double nanos) {
        return new Turn(workload, contender, Map.of("nanos", nanos, "perSecond", 1e9 / nanos, "allocatedBytes", 0.0));
    }
}
