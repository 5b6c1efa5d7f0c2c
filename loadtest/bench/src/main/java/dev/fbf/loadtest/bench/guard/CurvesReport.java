package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.Crowd.Measures;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * How the cost of an increment grows.
 *
 * @param threads of the clients: {@code virtual} or {@code platform}
 */
record CurvesReport(String threads, List<Turn> turns, List<Curve> curves) {

    /**
     * A turn at a point of a curve.
     *
     * @param x where the point is
     * @param label what that is, for people
     */
    record Turn(Dimension dimension, double x, String label, GuardContender contender, Measures measures) {}

    /** What grew, with what is to be said of it beside the figures. */
    record Curve(Dimension dimension, String description, List<Line> lines, List<String> notes) {}

    /** A contender's points, in their order. */
    record Line(GuardContender contender, List<Point> points) {}

    /**
     * The medians of a point's turns.
     *
     * @param slowest requests a second of the worst turn
     * @param fastest of the best turn
     */
    record Point(
            double x,
            String label,
            double perSecond,
            double slowest,
            double fastest,
            double p50Micros,
            double p99Micros,
            double clientMicros,
            double serverMicros) {

        private static Point of(List<Turn> turns) {
            List<Double> perSecond =
                    turns.stream().map(turn -> turn.measures.perSecond()).toList();
            return new Point(
                    turns.get(0).x,
                    turns.get(0).label,
                    Rounds.median(perSecond),
                    Collections.min(perSecond),
                    Collections.max(perSecond),
                    median(turns, Measures::p50Micros),
                    median(turns, Measures::p99Micros),
                    median(turns, Measures::clientMicros),
                    median(turns, Measures::serverMicros));
        }

        private static double median(List<Turn> turns, ToDoubleFunction<Measures> figure) {
            return Rounds.median(turns.stream()
                    .map(turn -> figure.applyAsDouble(turn.measures))
                    .toList());
        }
    }

    /**
     * Sums up; a dimension without turns is left out.
     *
     * @param notes of the dimensions that something is to be said of
     */
    static CurvesReport of(String threads, List<Turn> turns, Map<Dimension, List<String>> notes) {
        List<Curve> curves = new ArrayList<>();
        for (Dimension dimension : Dimension.values()) {
            List<Turn> its =
                    turns.stream().filter(turn -> turn.dimension == dimension).toList();
            if (!its.isEmpty()) {
                List<String> said = notes.getOrDefault(dimension, List.of());
                curves.add(new Curve(dimension, dimension.description(), lines(its), said));
            }
        }
        return new CurvesReport(threads, turns, curves);
    }

    private static List<Line> lines(List<Turn> turns) {
        return Arrays.stream(GuardContender.values())
                .map(contender -> new Line(
                        contender,
                        points(turns.stream()
                                .filter(turn -> turn.contender == contender)
                                .toList())))
                .filter(line -> !line.points.isEmpty())
                .toList();
    }

    private static List<Point> points(List<Turn> turns) {
        return turns.stream()
                .map(Turn::x)
                .distinct()
                .sorted()
                .map(x -> Point.of(turns.stream().filter(turn -> turn.x == x).toList()))
                .toList();
    }

    /** For people: a table for each curve. */
    String table() {
        StringBuilder text = new StringBuilder("\n  clients on " + threads + " threads\n");
        for (Curve curve : curves) {
            text.append("\n  ").append(curve.description).append('\n');
            text.append(Table.of(rows(curve))
                    .text("", Row::contender)
                    .text("", row -> row.point.label)
                    .number("median/s", "%,.0f", row -> row.point.perSecond)
                    .text(
                            "slowest … fastest",
                            row -> Table.format("%,.0f … %,.0f", row.point.slowest, row.point.fastest))
                    .number("p50 ms", "%.2f", row -> row.point.p50Micros / 1e3)
                    .number("p99 ms", "%.2f", row -> row.point.p99Micros / 1e3)
                    .number("client µs", "%.1f", row -> row.point.clientMicros)
                    .number("server µs", "%.1f", row -> row.point.serverMicros));
            curve.notes.forEach(note -> text.append("  ").append(note).append('\n'));
        }
        return text.toString();
    }

    private record Row(GuardContender contender, Point point) {}

    private static List<Row> rows(Curve curve) {
        return curve.lines.stream()
                .flatMap(line -> line.points.stream().map(point -> new Row(line.contender, point)))
                .toList();
    }

    /** The labels of all points of a curve. */
    static Set<String> labels(Curve curve) {
        Set<String> labels = new LinkedHashSet<>();
        curve.lines.forEach(line -> line.points.forEach(point -> labels.add(point.label)));
        return labels;
    }
}
