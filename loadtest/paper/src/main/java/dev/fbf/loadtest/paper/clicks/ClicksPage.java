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
import java.util.function.Function;
import java.util.stream.Stream;

/** The page docs/research/clicks.md, its plots and its data. */
final class ClicksPage {

    private ClicksPage() {}

    static void write(Figures figures, Settings settings) throws IOException {
        Page page = new Page(settings, "clicks.md");
        page.block("verdicts", format("- **%s**%n- **%s**", errorsVerdict(figures), timeVerdict(figures)));
        page.block("one-memory-budget", table(figures.oneMemory()).markdown());
        boolean withRedis =
                figures.race().stream().anyMatch(finish -> finish.contender().equals(Peer.REDIS));
        page.block(
                "one-error-budget",
                table(figures.oneErrorBudget()).markdown()
                        + (withRedis ? "" : "\nNo Redis was found: it is left out.\n")
                        + late(figures, "%n%s%n"));
        page.block(
                "plots",
                page.plot("clicks-memory", byMemory(figures), pointsAsCsv(figures.byMemory())) + "\n"
                        + page.plot("clicks-cost", cost(figures), finishesAsCsv(figures.race())));
        page.write();
    }

    /** The result for people at a terminal. */
    static String tables(Figures figures) {
        return format("%n  click stream, one memory budget: %.0f bits a click%n%n", figures.budgetBitsAClick())
                + table(figures.oneMemory())
                + format("%n  click stream, one error budget: %s of all arrivals%n%n", percent(figures.budgetErrors()))
                + table(figures.oneErrorBudget())
                + format("%n  %s%n  %s%n", errorsVerdict(figures), timeVerdict(figures))
                + late(figures, "%n  %s%n");
    }

    private static Table<Finish> table(List<Finish> finishes) {
        double nanos = Figures.forgetful(finishes).nanosAClick();
        return Table.of(finishes)
                .text("contender", Finish::contender)
                .number("bits a click", "%,.1f", Finish::bitsAClick)
                .number("bytes a click", "%,.2f", finish -> finish.bitsAClick() / Byte.SIZE)
                .number("clicks lost", "%s", finish -> percent(finish.errors().lostShare()))
                .number(
                        "duplicates missed",
                        "%s",
                        finish -> percent(finish.errors().missedShare()))
                .number(
                        "errors of all arrivals",
                        "%s",
                        finish -> percent(finish.errors().share()))
                .number("ns an arrival", "%,.0f", Finish::nanosAClick)
                .number("time over fbf's", "%.2f", finish -> finish.nanosAClick() / nanos);
    }

    /** Three digits or so, and none for what did not happen. */
    private static String percent(double share) {
        double percent = 100 * share;
        return percent == 0 ? "0" : format(percent < 0.1 ? "%.4f %%" : percent < 10 ? "%.2f %%" : "%.1f %%", percent);
    }

    private static String errorsVerdict(Figures figures) {
        Finish forgetful = Figures.forgetful(figures.oneMemory());
        Finish best = Figures.mostAccurate(figures.oneMemory());
        boolean holds = forgetful.errors().share() <= best.errors().share();
        return format(
                "Fewest errors with one memory budget: %s. The forgetful Bloom filter has %s, the best peer (%s) %s.",
                holds ? "holds" : "does not hold",
                percent(forgetful.errors().share()),
                best.contender(),
                percent(best.errors().share()));
    }

    private static String timeVerdict(Figures figures) {
        Finish forgetful = Figures.forgetful(figures.oneMemory());
        Finish best = Figures.fastest(figures.oneMemory());
        return format(
                "Least time with one memory budget: %s. The forgetful Bloom filter takes %.0f ns an arrival, the fastest peer (%s) %.0f ns.",
                forgetful.nanosAClick() <= best.nanosAClick() ? "holds" : "does not hold",
                forgetful.nanosAClick(),
                best.contender(),
                best.nanosAClick());
    }

    /** Redis expires early for what the run falls behind its pace; gaps leave it a twentieth, less one turn. */
    private static String late(Figures figures, String format) {
        double leeway = 1 - Gaps.LONGEST / Demand.WINDOW.toSeconds() - (double) Race.SLICES_OF_TURN / Demand.SLICES;
        return figures.mostLate() <= leeway
                ? ""
                : format(
                        format,
                        format(
                                "The machine was too slow: the run fell behind its pace by %.1f %% of a window, so Redis expired keys early.",
                                100 * figures.mostLate()));
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
                format("Memory and time with at most %s errors", percent(figures.budgetErrors())),
                "bits a click of the window",
                true,
                "ns an arrival",
                figures.oneErrorBudget().stream()
                        .map(finish -> new Plot.Line(
                                finish.contender(), List.of(finish.bitsAClick()), List.of(finish.nanosAClick()), false))
                        .toList());
    }
}
