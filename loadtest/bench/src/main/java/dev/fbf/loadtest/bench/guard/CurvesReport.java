package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The cost of an increment as something grows.
 *
 * @param threads of the clients: {@code virtual} or {@code platform}
 */
record CurvesReport(String threads, List<Turn> turns, List<Curve> curves) {

    /** A contender per line; the notes go with the figures. */
    record Curve(Dimension dimension, String description, List<Line> lines, List<String> notes) {}

    /** A contender's points, by their figure {@code x}. */
    record Line(GuardContender contender, List<Summary> points) {}

    /** Summarizes turns; a dimension without turns is left out. */
    static CurvesReport of(String threads, List<Turn> turns, Map<Dimension, List<String>> notes) {
        List<Curve> curves = new ArrayList<>();
        for (Dimension dimension : Dimension.values()) {
            List<Summary> points = Summary.of(turns.stream()
                    .filter(turn -> turn.series().equals(dimension.name()))
                    .toList());
            List<Line> lines = Arrays.stream(GuardContender.values())
                    .map(contender -> new Line(
                            contender,
                            points.stream()
                                    .filter(point -> point.contender() == contender)
                                    .sorted(Comparator.comparing((Summary point) -> point.get("x")))
                                    .toList()))
                    .filter(line -> !line.points.isEmpty())
                    .toList();
            if (!lines.isEmpty()) {
                List<String> said = notes.getOrDefault(dimension, List.of());
                curves.add(new Curve(dimension, dimension.description(), lines, said));
            }
        }
        return new CurvesReport(threads, turns, curves);
    }

    /** A table for each curve. */
    String table() {
        StringBuilder text = new StringBuilder("\n  clients on " + threads + " threads\n");
        for (Curve curve : curves) {
            text.append("\n  ").append(curve.description).append('\n');
            text.append(Table.of(curve.lines.stream()
                            .flatMap(line -> line.points.stream())
                            .toList())
                    .text("", Summary::contender)
                    .text("", Summary::label)
                    .number("median/s", "%,.0f", point -> point.get("perSecond"))
                    .text(
                            "slowest … fastest",
                            point -> Table.format("%,.0f … %,.0f", point.get("slowest"), point.get("fastest")))
                    .number("p50 ms", "%.2f", point -> point.get("p50Micros") / 1e3)
                    .number("p99 ms", "%.2f", point -> point.get("p99Micros") / 1e3)
                    .number("client µs", "%.1f", point -> point.get("clientMicros"))
                    .number("server µs", "%.1f", point -> point.get("serverMicros")));
            curve.notes.forEach(note -> text.append("  ").append(note).append('\n'));
        }
        return text.toString();
    }
}
