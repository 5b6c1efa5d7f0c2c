package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.CurvesReport.Curve;
import dev.fbf.loadtest.bench.guard.CurvesReport.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Draws a plot for each curve: requests a second, and the server's processor time for each. */
public final class CurvePlots {

    private CurvePlots() {}

    /**
     * Draws the plots of a report again.
     *
     * @param args the JSON of a result; the plots are written beside it
     */
    public static void main(String[] args) throws IOException {
        Path json = Path.of(args[0]).toAbsolutePath();
        JsonMapper mapper = JsonMapper.shared();
        write(mapper.treeToValue(mapper.readTree(json).get("figures"), CurvesReport.class), json.resolveSibling(""));
    }

    /** Writes curves-clients.svg and so on. */
    static void write(CurvesReport report, Path directory) throws IOException {
        for (Curve curve : report.curves()) {
            String name = curve.dimension().name().toLowerCase(Locale.ROOT);
            Files.writeString(
                    directory.resolve("curves-" + name + ".svg"),
                    curve.dimension() == Dimension.DATABASES ? bars(curve) : lines(curve));
        }
    }

    private static String lines(Curve curve) {
        LineChart chart = new LineChart(
                title(curve), curve.description(), curve.dimension().isLogarithmic());
        chart.add("requests/s", lines(curve, Point::perSecond));
        chart.add("µs of the server's processor time for each", lines(curve, Point::serverMicros));
        return chart.svg();
    }

    private static List<LineChart.Line> lines(Curve curve, ToDoubleFunction<Point> y) {
        return curve.lines().stream()
                .map(line -> new LineChart.Line(
                        line.contender().name(),
                        colour(line.contender()),
                        line.points().stream()
                                .map(point -> new LineChart.Point(point.x(), point.label(), y.applyAsDouble(point)))
                                .toList()))
                .toList();
    }

    /** The points have no order: a panel for each. */
    private static String bars(Curve curve) {
        BarChart chart = new BarChart("Requests/s: " + curve.description());
        for (String label : CurvesReport.labels(curve)) {
            chart.add(
                    label,
                    curve.lines().stream()
                            .flatMap(line -> line.points().stream()
                                    .filter(point -> point.label().equals(label))
                                    .flatMap(point -> Stream.of(new BarChart.Bar(
                                            line.contender().name(),
                                            point.perSecond(),
                                            point.slowest(),
                                            point.fastest(),
                                            colour(line.contender())))))
                            .toList());
        }
        return chart.svg();
    }

    private static String title(Curve curve) {
        return "The cost of an increment by " + curve.description();
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
