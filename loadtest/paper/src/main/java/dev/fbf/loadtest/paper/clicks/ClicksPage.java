package dev.fbf.loadtest.paper.clicks;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.paper.Page;
import dev.fbf.loadtest.paper.Plot;
import dev.fbf.loadtest.paper.clicks.ClickStreams.Figures;
import dev.fbf.loadtest.paper.clicks.Race.Finish;
import dev.fbf.loadtest.paper.clicks.Sweeps.Point;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page docs/research/clicks.md, its plots and its data. */
final class ClicksPage {

    /** Redis expires early for what the run falls behind its pace; gaps leave it a twentieth, less one turn. */
    private static final double LEEWAY =
            1 - Gaps.LONGEST / Demand.WINDOW.toSeconds() - (double) Race.SLICES_OF_TURN / Demand.SLICES;

    private ClicksPage() {}

    /** Returns the result for people at a terminal. */
    static String write(Figures figures, Settings settings) throws IOException {
        Page page = new Page(settings, "clicks.md");
        page.plot("clicks-memory", byMemory(figures), pointsAsCsv(figures.byMemory()));
        page.plot("clicks-cost", cost(figures), finishesAsCsv(figures.race()));
        List<Finish> oneMemory = figures.oneMemory();
        page.write(Map.of(
                "race",
                figures.race(),
                "forgetful",
                Peer.FORGETFUL.toString(),
                "redis",
                Peer.REDIS,
                "own",
                Figures.forgetful(oneMemory),
                "mostAccurate",
                Figures.mostAccurate(oneMemory),
                "fastest",
                Figures.fastest(oneMemory),
                "late",
                figures.mostLate() <= LEEWAY ? 0 : figures.mostLate()));
        return Stream.of("one-memory-budget", "one-error-budget", "verdicts")
                .map(page::block)
                .collect(Collectors.joining("\n\n", "\n", "\n"));
    }

    private static String pointsAsCsv(List<Point> points) {
        return withErrors(
                        Table.of(points)
                                .text("contender", point -> point.peer().replace(",", ""))
                                .number("bits a click", "%.2f", Point::bitsAClick),
                        Point::errors)
                .csv();
    }

    private static String finishesAsCsv(List<Finish> finishes) {
        return withErrors(
                        Table.of(finishes)
                                .text("budget", finish -> finish.oneMemory() ? "memory" : "errors")
                                .text("contender", finish -> finish.contender().replace(",", ""))
                                .number("bits a click", "%.2f", Finish::bitsAClick),
                        Finish::errors)
                .number("ns an arrival", "%.1f", Finish::nanosAClick)
                .csv();
    }

    private static <R> Table<R> withErrors(Table<R> table, Function<R, Errors> errors) {
        return table.number("clicks", "%d", row -> errors.apply(row).clicks())
                .number("clicks lost", "%d", row -> errors.apply(row).lost())
                .number("duplicates", "%d", row -> errors.apply(row).duplicates())
                .number("duplicates missed", "%d", row -> errors.apply(row).missed());
    }

    private static Plot byMemory(Figures figures) {
        return new Plot(
                "Errors by memory",
                "bits a click of the window",
                false,
                "errors of all arrivals",
                lines(figures.byMemory()));
    }

    /** On a logarithmic axis zero has no place. */
    private static List<Plot.Line> lines(List<Point> points) {
        return Stream.of(Peer.values())
                .map(peer -> points.stream()
                        .filter(point -> point.peer().equals(peer.shortTitle())
                                && point.errors().share() > 0)
                        .toList())
                .filter(line -> !line.isEmpty())
                .map(line -> new Plot.Line(
                        line.get(0).peer(),
                        line.stream().map(Point::bitsAClick).toList(),
                        line.stream().map(point -> point.errors().share()).toList(),
                        false))
                .toList();
    }

    private static Plot cost(Figures figures) {
        return new Plot(
                format("Memory and time with at most %.2f %% errors", 100 * figures.budgetErrors()),
                "bits a click of the window",
                true,
                "ns an arrival",
                figures.oneErrorBudget().stream()
                        .map(finish -> new Plot.Line(
                                finish.contender(), List.of(finish.bitsAClick()), List.of(finish.nanosAClick()), false))
                        .toList());
    }
}
