package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.guard.CurvesReport.Dimension;
import dev.fbf.loadtest.harness.pages.Figures;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.harness.pages.Plot.Style;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class CurvesReportTest {

    private final List<Turn> turns = new ArrayList<>();

    @Test
    void aPointHasTheMediansOfItsTurnsAndALineItsPointsInTheirOrder() {
        turn(Dimension.ROWS, 1_000, GuardContender.COUNTERS, 9_000);
        turn(Dimension.ROWS, 10, GuardContender.COUNTERS, 1_000);
        turn(Dimension.ROWS, 10, GuardContender.COUNTERS, 3_000);
        turn(Dimension.ROWS, 10, GuardContender.COUNTERS, 2_500);
        turn(Dimension.ROWS, 10, GuardContender.UPDATE, 500);

        CurvesReport.Curve curve = report(Map.of()).curves().get(0);

        assertThat(curve.dimension()).isEqualTo(Dimension.ROWS);
        assertThat(curve.lines())
                .extracting(CurvesReport.Line::contender)
                .containsExactly(GuardContender.UPDATE, GuardContender.COUNTERS);
        List<Summary> points = curve.lines().get(1).points();
        assertThat(points).extracting(point -> point.get("perSecond")).containsExactly(2_500.0, 9_000.0);
        assertThat(points.get(0).get("slowest")).isEqualTo(1_000);
        assertThat(points.get(0).get("fastest")).isEqualTo(3_000);
        assertThat(points).extracting(Summary::label).containsExactly("at 10", "at 1000");
    }

    @Test
    void aPageShowsAPlotATableAndWhatIsToBeSaid() {
        turn(Dimension.ROWS, 10, GuardContender.UPDATE, 500);
        turn(Dimension.FILTERS, 1, GuardContender.COUNTERS, 25_000);
        turn(Dimension.FILTERS, 8_192, GuardContender.COUNTERS, 20_000);
        CurvesReport report = report(Map.of(Dimension.FILTERS, List.of("4 MiB are left out.")));

        assertThat(Figures.of("curves", "filters", Map.of("figures", report)))
                .contains(
                        "(performance/curves-filters.png)",
                        "| at 1 | 25,000 | 0.80 | 12.3 |",
                        "| at 8192 | 20,000 | 0.80 | 12.3 |",
                        "4 MiB are left out.");
        assertThat(report.table()).contains("4 MiB are left out.", "25,000.00");
    }

    @Test
    void aContenderWithoutAPointHasAnEmptyCell() {
        turn(Dimension.CLIENTS, 1, GuardContender.UPDATE, 4_000);
        turn(Dimension.CLIENTS, 1, GuardContender.COUNTERS, 3_000);
        turn(Dimension.CLIENTS, 64, GuardContender.COUNTERS, 50_000);

        assertThat(Figures.of("curves", "clients", Map.of("figures", report(Map.of()))))
                .contains("| at 64 |  |  |  | 50,000 | 0.80 | 12.3 |");
    }

    @Test
    void thereIsAPlotForEachCurve(@TempDir Path directory) throws Exception {
        for (Dimension dimension : Dimension.values()) {
            turn(dimension, 1, GuardContender.UPDATE, 4_000);
            turn(dimension, 2, GuardContender.UPDATE, 2_000);
        }
        Path json = directory.resolve("curves.json");
        Files.writeString(json, JsonMapper.shared().writeValueAsString(Map.of("figures", report(Map.of()))));

        Plots.main(new String[] {json.toString()});

        for (Dimension dimension : Dimension.values()) {
            String name = "curves-" + dimension.name().toLowerCase(Locale.ROOT);
            assertThat(directory.resolve(name + ".png")).isNotEmptyFile();
            assertThat(Plots.of(report(Map.of())).get(name))
                    .extracting(Plot::lines)
                    .contains(List.of(new Plot.Line(
                            "UPDATE",
                            List.of("at 1", "at 2"),
                            List.of(4_000.0, 2_000.0),
                            dimension == Dimension.DATABASES ? Style.POINTS : Style.SOLID)));
        }
    }

    private CurvesReport report(Map<Dimension, List<String>> notes) {
        return CurvesReport.of("virtual", turns, notes);
    }

    private void turn(Dimension dimension, int x, GuardContender contender, double perSecond) {
        Map<String, Double> figures = new HashMap<>(Map.of("x", (double) x, "perSecond", perSecond));
        figures.putAll(Map.of("p50Micros", 800.0, "p99Micros", 2_000.0, "clientMicros", 20.0, "serverMicros", 12.3));
        turns.add(new Turn(dimension.name(), "at " + x, contender, figures));
    }
}
