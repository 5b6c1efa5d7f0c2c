package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.Chart.Dot;
import dev.fbf.loadtest.bench.guard.Chart.Line;
import dev.fbf.loadtest.bench.guard.Chart.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Draws the plots of the guard benchmark and of the curves. */
public final class Plots {

    private Plots() {}

    /**
     * Draws the plots of a result again.
     *
     * @param args the JSON of a result, and the directory of the plots: beside it, if there is none
     */
    public static void main(String[] args) throws IOException {
        Path json = Path.of(args[0]).toAbsolutePath();
        JsonNode figures = JsonMapper.shared().readTree(json).required("figures");
        Path directory = args.length > 1 ? Path.of(args[1]) : json.resolveSibling("");
        if (figures.has("curves")) {
            curves(figures, directory);
        } else {
            guard(figures, directory);
        }
    }

    /**
     * Writes guard-retries-0.svg and so on, by the percentage of retries: requests per second as a multiple of the unguarded
     * {@code UPDATE}'s, where it took part.
     */
    static void guard(Object report, Path directory) throws IOException {
        Map<Long, Map<String, List<Dot>>> plots = new TreeMap<>();
        for (JsonNode result : tree(report).required("results")) {
            Workload workload = Workload.valueOf(text(result, "workload"));
            List<Dot> dots = new ArrayList<>();
            double unit = StreamSupport.stream(result.required("summaries").spliterator(), false)
                    .filter(summary -> contender(summary) == GuardContender.UPDATE)
                    .mapToDouble(summary -> number(summary, "perSecond"))
                    .findFirst()
                    .orElse(1);
            for (JsonNode summary : result.required("summaries")) {
                GuardContender contender = contender(summary);
                String colour = contender.isOurs() ? "#1976d2" : "#f57c00";
                dots.add(dot(contender, contender.isGuarded() ? colour : "#9e9e9e", summary, unit));
            }
            plots.computeIfAbsent(Math.round(workload.retries() * 100), none -> new LinkedHashMap<>())
                    .put(workload + ": " + workload.description(), dots);
        }
        for (Map.Entry<Long, Map<String, List<Dot>>> plot : plots.entrySet()) {
            Chart chart = new Chart(
                    "Requests/s, " + plot.getKey() + " % of them retries, as a multiple of the unguarded UPDATE's");
            chart.dots(plot.getValue());
            Files.writeString(directory.resolve("guard-retries-" + plot.getKey() + ".svg"), chart.svg());
        }
    }

    private static Dot dot(GuardContender contender, String colour, JsonNode summary, double unit) {
        return new Dot(
                contender.name(),
                colour,
                number(summary, "perSecond") / unit,
                number(summary, "slowest") / unit,
                number(summary, "fastest") / unit);
    }

    /** Writes curves-clients.svg and so on. */
    static void curves(Object report, Path directory) throws IOException {
        for (JsonNode curve : tree(report).required("curves")) {
            Dimension dimension = Dimension.valueOf(text(curve, "dimension"));
            Chart chart = new Chart("The cost of an increment by " + dimension.description());
            if (dimension == Dimension.DATABASES) {
                chart.dots(databases(curve));
            } else {
                chart.lines(
                        "requests/s", dimension.description(), dimension.isLogarithmic(), lines(curve, "perSecond"));
                chart.lines(
                        "µs of the server's processor time per request",
                        dimension.description(),
                        dimension.isLogarithmic(),
                        lines(curve, "serverMicros"));
            }
            String name = dimension.name().toLowerCase(Locale.ROOT);
            Files.writeString(directory.resolve("curves-" + name + ".svg"), chart.svg());
        }
    }

    private static List<Line> lines(JsonNode curve, String figure) {
        List<Line> lines = new ArrayList<>();
        for (JsonNode line : curve.required("lines")) {
            List<Point> points = new ArrayList<>();
            for (JsonNode point : line.required("points")) {
                String label = text(point, "label");
                boolean isNumber = label.matches("[\\d,]+");
                double x = number(point, "x");
                points.add(new Point(x, isNumber ? Chart.Axis.label(x) : label, number(point, figure)));
            }
            lines.add(new Line(text(line, "contender"), colour(contender(line)), points));
        }
        return lines;
    }

    /** The points have no order: a panel for each. */
    private static Map<String, List<Dot>> databases(JsonNode curve) {
        Map<String, List<Dot>> panels = new LinkedHashMap<>();
        for (JsonNode line : curve.required("lines")) {
            for (JsonNode point : line.required("points")) {
                panels.computeIfAbsent("requests/s, " + text(point, "label"), none -> new ArrayList<>())
                        .add(dot(contender(line), colour(contender(line)), point, 1));
            }
        }
        return panels;
    }

    private static JsonNode tree(Object report) {
        return JsonMapper.shared().valueToTree(report);
    }

    private static String text(JsonNode node, String property) {
        return node.required(property).asString();
    }

    private static double number(JsonNode node, String property) {
        return node.required(property).asDouble();
    }

    private static GuardContender contender(JsonNode node) {
        return GuardContender.valueOf(text(node, "contender"));
    }

    private static String colour(GuardContender contender) {
        return switch (contender) {
            case UPDATE -> "#9e9e9e";
            case GROUPED_UPSERT -> "#424242";
            case COUNTERS -> "#1976d2";
            case COUNTERS_LEDGER -> "#42a5f5";
            default -> "#f57c00";
        };
    }
}
