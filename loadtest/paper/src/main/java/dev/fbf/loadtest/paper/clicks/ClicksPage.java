package dev.fbf.loadtest.paper.clicks;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.paper.Page;
import dev.fbf.loadtest.paper.clicks.ClickStreams.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The page docs/research/clicks.md, its plots and its data. */
final class ClicksPage {

    private ClicksPage() {}

    /** Returns the result for people at a terminal. */
    static String write(Figures figures, Settings settings) throws IOException {
        Page page = new Page(settings, "clicks.md");
        Table<Trial> errors = Table.of(figures.byMemory())
                .text("contender", trial -> trial.peer().shortTitle().replace(",", ""));
        page.plot(
                "clicks-memory",
                byMemory(figures.byMemory()),
                withErrors(errors).csv());
        List<Trial> race = new ArrayList<>(figures.oneMemory());
        race.addAll(figures.oneErrorBudget());
        Table<Trial> costs = Table.of(race)
                .text("budget", trial -> figures.oneMemory().contains(trial) ? "memory" : "errors")
                .text("contender", trial -> trial.peer().toString().replace(",", ""));
        page.plot(
                "clicks-cost",
                cost(figures),
                withErrors(costs)
                        .number("ns an arrival", "%.1f", Trial::nanosAClick)
                        .csv());
        page.write(Map.of(
                "oneMemory",
                figures.oneMemory(),
                "oneErrorBudget",
                figures.oneErrorBudget(),
                "own",
                figures.own(),
                "mostAccurate",
                figures.best(Trial::errors),
                "fastest",
                figures.best(Trial::nanosAClick)));
        return Stream.of("one-memory-budget", "one-error-budget", "verdicts")
                .map(page::block)
                .collect(Collectors.joining("\n\n", "\n", "\n"));
    }

    private static Table<Trial> withErrors(Table<Trial> table) {
        return table.number("bits a click", "%.2f", Trial::bitsAClick)
                .number("clicks", "%d", Trial::clicks)
                .number("clicks lost", "%d", Trial::lost)
                .number("duplicates", "%d", Trial::duplicates)
                .number("duplicates missed", "%d", Trial::missed);
    }

    /** On a logarithmic axis zero has no place. */
    private static Plot byMemory(List<Trial> trials) {
        List<Plot.Line> lines = Stream.of(Peer.values())
                .map(peer -> trials.stream()
                        .filter(trial -> trial.peer() == peer && trial.errors() > 0)
                        .toList())
                .filter(own -> !own.isEmpty())
                .map(own -> new Plot.Line(
                        own.get(0).peer().shortTitle(),
                        own.stream().map(Trial::bitsAClick).toList(),
                        own.stream().map(Trial::errors).toList(),
                        false))
                .toList();
        return new Plot("Errors by memory", "bits a click of the window", false, "errors of all arrivals", lines);
    }

    private static Plot cost(Figures figures) {
        return new Plot(
                format("Memory and time with at most %.2f %% errors", 100 * figures.errors()),
                "bits a click of the window",
                true,
                "ns an arrival",
                figures.oneErrorBudget().stream()
                        .map(trial -> new Plot.Line(
                                trial.peer().toString(),
                                List.of(trial.bitsAClick()),
                                List.of(trial.nanosAClick()),
                                false))
                        .toList());
    }
}
