package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.pages.Plot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;
import java.util.function.Predicate;

/**
 * Draws one of the paper's figures again, once: what it measures, and what a model says, are curves over one quantity. The page's
 * template judges the claims from them.
 */
abstract class Experiment {

    static final List<Rule> RULES = List.of(Rule.AS_PRINTED, Rule.CORRECTED, Rule.SINGLE);

    private final int number;
    private final String quantity;
    private final Map<String, List<Point>> measured = new LinkedHashMap<>();
    private final Map<String, List<Point>> modelled = new LinkedHashMap<>();
    private final Map<String, Object> figures = new LinkedHashMap<>();
    private int seeds;

    record Point(double x, Spread y) {}

    /** @param quantity what the curves are over */
    Experiment(int number, String quantity) {
        this.number = number;
        this.quantity = quantity;
    }

    /** Fills the curves and the figures; returns the plot. */
    abstract Plot measure();

    /** Measures everything with so many seeds, draws the plot and writes its data beside the page; returns all figures. */
    final Map<String, Object> run(int count, Page page) throws IOException {
        seeds = count;
        Plot plot = measure();
        Map<String, List<Point>> curves = new LinkedHashMap<>(measured);
        modelled.forEach((name, points) -> curves.put(name + " (model)", points));
        // so few digits that another machine's last bit does not show
        StringBuilder csv = new StringBuilder("curve," + quantity + ",mean,standard deviation\n");
        curves.forEach((name, points) -> points.forEach(point ->
                csv.append(format("%s,%.4g,%.4g,%.4g%n", name, point.x, point.y.mean(), point.y.deviation()))));
        page.plot(name(), plot, csv.toString());
        figures.put("curves", curves);
        return figures;
    }

    final String name() {
        return format("figure-%02d", number);
    }

    /** Adds a point to a curve, measured with each seed. */
    final void measured(String curve, double x, LongToDoubleFunction measurement) {
        measured(curve, x, over(measurement));
    }

    final void measured(String curve, double x, Spread y) {
        measured.computeIfAbsent(curve, name -> new ArrayList<>()).add(new Point(x, y));
    }

    final void modelled(String curve, double x, double y) {
        modelled.computeIfAbsent(curve, name -> new ArrayList<>()).add(new Point(x, Spread.of(y)));
    }

    /** Adds a figure that is no point of a curve. */
    final void figure(String name, Object value) {
        figures.put(name, value);
    }

    /** A plot of the false positive probability: of the curves with these names, those of a model dashed. */
    final Plot plot(String title, String x, boolean xLogarithmic, Predicate<String> name) {
        return new Plot(title, x, xLogarithmic, "false positive probability", lines(name));
    }

    /** On a logarithmic axis zero has no place, so points at zero are left out. */
    final List<Plot.Line> lines(Predicate<String> name) {
        List<Plot.Line> lines = new ArrayList<>();
        for (Map<String, List<Point>> curves : List.of(measured, modelled)) {
            curves.forEach((curve, points) -> {
                List<Point> shown =
                        points.stream().filter(point -> point.y.mean() > 0).toList();
                if (name.test(curve)) {
                    lines.add(new Plot.Line(
                            curve,
                            shown.stream().map(Point::x).toList(),
                            shown.stream().map(point -> point.y.mean()).toList(),
                            curves == modelled));
                }
            });
        }
        return lines;
    }

    final int seeds() {
        return seeds;
    }

    /** The result under each rule of the page, in the order of its columns. */
    static <T> List<T> each(Function<Rule, T> result) {
        return RULES.stream().map(result).toList();
    }

    final Spread over(LongToDoubleFunction measurement) {
        return Spread.over(seeds, measurement);
    }
}
