package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
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

    /** What grows while the cost of an increment is measured. */
    enum Dimension {
        CLIENTS("clients, on one row"),
        ROWS("rows, all alike"),
        FILTERS("MiB of the filter's file"),
        WINDOWS("window, with the same size of the filter"),
        NODES("nodes in ledger mode, each with as many clients"),
        DATABASES("database, on one row");

        private final String description;

        Dimension(String description) {
            this.description = description;
        }
    }

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
                curves.add(new Curve(dimension, dimension.description, lines, said));
            }
        }
        return new CurvesReport(threads, turns, curves);
    }

    /** A table for each curve. */
    String table() {
        StringBuilder text = new StringBuilder("\n  clients on " + threads + " threads\n");
        for (Curve curve : curves) {
            List<Summary> points =
                    curve.lines.stream().flatMap(line -> line.points.stream()).toList();
            text.append("\n  ").append(curve.description).append('\n').append(Summary.table(points));
            curve.notes.forEach(note -> text.append("  ").append(note).append('\n'));
        }
        return text.toString();
    }
}
