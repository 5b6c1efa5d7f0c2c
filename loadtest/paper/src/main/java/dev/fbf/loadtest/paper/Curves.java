package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Everything an experiment measures or a model says, as curves over one quantity. */
final class Curves {

    record Point(double x, Spread y) {}

    private final Map<String, List<Point>> measured = new LinkedHashMap<>();
    private final Map<String, List<Point>> modelled = new LinkedHashMap<>();

    void measured(String curve, double x, Spread y) {
        measured.computeIfAbsent(curve, name -> new ArrayList<>()).add(new Point(x, y));
    }

    void modelled(String curve, double x, double y) {
        modelled.computeIfAbsent(curve, name -> new ArrayList<>()).add(new Point(x, Spread.of(y)));
    }

    /** All points by the names of their curves, measured ones first. */
    Map<String, List<Point>> all() {
        Map<String, List<Point>> all = new LinkedHashMap<>(measured);
        modelled.forEach((name, points) -> all.put(name + " (model)", points));
        return all;
    }

    /** For a data file: so few digits that another machine's last bit does not show. */
    String csv(String x) {
        StringBuilder text = new StringBuilder("curve," + x + ",mean,standard deviation\n");
        all().forEach((name, points) -> points.forEach(point ->
                text.append(format("%s,%.4g,%.4g,%.4g%n", name, point.x, point.y.mean(), point.y.deviation()))));
        return text.toString();
    }

    /** The curves with these names; on a logarithmic axis zero has no place, so points at zero are left out. */
    List<Plot.Line> lines(Predicate<String> name) {
        List<Plot.Line> lines = new ArrayList<>();
        measured.forEach((curve, points) -> addLine(lines, name, curve, points, false));
        modelled.forEach((curve, points) -> addLine(lines, name, curve, points, true));
        return lines;
    }

    private static void addLine(
            List<Plot.Line> lines, Predicate<String> name, String curve, List<Point> points, boolean dashed) {
        if (!name.test(curve)) {
            return;
        }
        List<Point> shown = points.stream().filter(point -> point.y.mean() > 0).toList();
        lines.add(new Plot.Line(
                curve,
                shown.stream().map(Point::x).toList(),
                shown.stream().map(point -> point.y.mean()).toList(),
                dashed));
    }
}
