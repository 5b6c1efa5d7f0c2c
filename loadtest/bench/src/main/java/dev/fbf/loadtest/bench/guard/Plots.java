package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.CurvesReport.Dimension;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.harness.pages.Plot.Line;
import dev.fbf.loadtest.harness.pages.Plot.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Draws the plots of the guard benchmark, of the curves and of the ledger's growth. */
public final class Plots {

    private static final String SERVER_MICROS = "server's processor time, µs";

    /** The names of points in plots of the guard benchmark, and their figures. */
    private static final Map<String, String> ROUNDS =
            new TreeMap<>(Map.of("fastest round", "fastest", "median", "perSecond", "slowest round", "slowest"));

    private Plots() {}

    /**
     * Draws the plots of a result again.
     *
     * @param args the JSON of a result, and the directory of the plots: beside it, if there is none
     */
    public static void main(String[] args) throws IOException {
        Path json = Path.of(args[0]).toAbsolutePath();
        JsonNode result = JsonMapper.shared().readTree(json);
        draw(result.required("figures"), args.length > 1 ? Path.of(args[1]) : json.resolveSibling(""));
    }

    /** Writes the plots that a report has. */
    static void draw(Object report, Path directory) throws IOException {
        for (Map.Entry<String, List<Plot>> plots : of(report).entrySet()) {
            Files.write(directory.resolve(plots.getKey() + ".png"), Plot.png(plots.getValue()));
        }
    }

    /** Panels by the names of the files: guard-retries-0 and so on, by the percentage of retries; curves-clients and so on; ledger-growth-costs. */
    static Map<String, List<Plot>> of(Object report) {
        JsonNode figures = JsonMapper.shared().valueToTree(report);
        Map<String, List<Plot>> plots = new TreeMap<>();
        for (JsonNode result : figures.path("results")) {
            Workload workload = Workload.valueOf(text(result, "workload"));
            plots.computeIfAbsent("guard-retries-" + Math.round(workload.retries() * 100), none -> new ArrayList<>())
                    .add(guard(workload, result.required("summaries")));
        }
        for (JsonNode curve : figures.path("curves")) {
            plots.put(
                    "curves-" + text(curve, "dimension").toLowerCase(Locale.ROOT),
                    List.of(curve(curve, "requests/s", "perSecond"), curve(curve, SERVER_MICROS, "serverMicros")));
        }
        if (figures.has("sizes")) {
            plots.put(
                    "ledger-growth-costs",
                    LedgerGrowth.CONTENDERS.stream()
                            .map(contender -> growth(contender, figures))
                            .toList());
        }
        return plots;
    }

    /** Requests per second as a multiple of the unguarded {@code UPDATE}'s, where it took part. */
    private static Plot guard(Workload workload, JsonNode summaries) {
        double unit = 1;
        for (JsonNode summary : summaries) {
            unit = text(summary, "contender").equals(GuardContender.UPDATE.name())
                    ? number(summary, "perSecond")
                    : unit;
        }
        Map<String, Map<String, Double>> points = new LinkedHashMap<>();
        for (Map.Entry<String, String> figure : ROUNDS.entrySet()) {
            Map<String, Double> values = points.computeIfAbsent(figure.getKey(), none -> new LinkedHashMap<>());
            for (JsonNode summary : summaries) {
                values.put(text(summary, "contender"), number(summary, figure.getValue()) / unit);
            }
        }
        return plot(workload + ": " + workload.description(), "", "requests/s over UPDATE's", points, false);
    }

    private static Plot curve(JsonNode curve, String yTitle, String figure) {
        Map<String, Map<String, Double>> lines = new LinkedHashMap<>();
        for (JsonNode line : curve.required("lines")) {
            for (JsonNode point : line.required("points")) {
                lines.computeIfAbsent(text(line, "contender"), none -> new LinkedHashMap<>())
                        .put(text(point, "label"), number(point, figure));
            }
        }
        String description = text(curve, "description");
        boolean isOrdered = !text(curve, "dimension").equals(Dimension.DATABASES.name());
        return plot("The cost of an increment by " + description, description, yTitle, lines, isOrdered);
    }

    private static Plot growth(GuardContender contender, JsonNode figures) {
        Map<String, Map<String, Double>> lines = new LinkedHashMap<>();
        for (JsonNode size : figures.required("sizes")) {
            for (JsonNode summary : size.required("summaries")) {
                if (text(summary, "contender").equals(contender.name())
                        && !text(summary, "label").equals(LedgerGrowth.START)) {
                    lines.computeIfAbsent(text(summary, "label"), none -> new LinkedHashMap<>())
                            .put(Table.format("%,.0f", number(size, "rows")), number(summary, "serverMicros"));
                }
            }
        }
        String title = contender + ": the cost of an operation or purged row as the ledger grows";
        return plot(title, "rows in the ledger", SERVER_MICROS, lines, true);
    }

    /** @param lines values by category, by the names of the lines */
    private static Plot plot(
            String title, String xTitle, String yTitle, Map<String, Map<String, Double>> lines, boolean isOrdered) {
        List<String> categories = lines.values().stream()
                .flatMap(line -> line.keySet().stream())
                .distinct()
                .toList();
        List<Line> drawn = new ArrayList<>();
        lines.forEach((name, values) -> drawn.add(new Line(
                name,
                categories,
                categories.stream().map(values::get).toList(),
                isOrdered ? Style.SOLID : Style.POINTS)));
        return Plot.overCategories(title, xTitle, yTitle, drawn);
    }

    private static String text(JsonNode node, String property) {
        return node.required(property).asString();
    }

    private static double number(JsonNode node, String property) {
        return node.required(property).asDouble();
    }
}
