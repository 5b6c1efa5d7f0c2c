package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Report;
import dev.fbf.loadtest.bench.Report.Result;
import dev.fbf.loadtest.bench.Report.Summary;
import dev.fbf.loadtest.bench.Workload;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.harness.pages.Plot.Line;
import dev.fbf.loadtest.harness.pages.Plot.Style;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Draws the plots of the guard benchmark: requests per second as a multiple of the unguarded {@code UPDATE}'s. */
final class Plots {

    /** The names of points, and their figures. */
    private static final Map<String, String> ROUNDS =
            new TreeMap<>(Map.of("fastest round", "fastest", "median", "perSecond", "slowest round", "slowest"));

    private Plots() {}

    /** Writes guard-retries-0.png and so on, by the percentage of retries, with a panel for each workload. */
    static void draw(Report report, Path directory) throws IOException {
        Map<String, List<Plot>> plots = new TreeMap<>();
        for (Result result : report.results()) {
            Workload workload = Workload.of(result.workload());
            plots.computeIfAbsent("guard-retries-" + Math.round(workload.retries() * 100), none -> new ArrayList<>())
                    .add(plot(workload, result.summaries()));
        }
        for (Map.Entry<String, List<Plot>> one : plots.entrySet()) {
            Files.write(directory.resolve(one.getKey() + ".png"), Plot.png(one.getValue()));
        }
    }

    /** The unit is 1 if {@code UPDATE} took no part. */
    static Plot plot(Workload workload, List<Summary> summaries) {
        double unit = summaries.stream()
                .filter(summary -> summary.contender() == GuardContender.UPDATE)
                .mapToDouble(summary -> summary.get("perSecond"))
                .findFirst()
                .orElse(1);
        List<String> contenders =
                summaries.stream().map(summary -> summary.contender().name()).toList();
        List<Line> lines = new ArrayList<>();
        ROUNDS.forEach((name, figure) -> lines.add(new Line(
                name,
                contenders,
                summaries.stream().map(summary -> summary.get(figure) / unit).toList(),
                Style.POINTS)));
        String title = workload.name() + ": " + workload.description();
        return Plot.overCategories(title, "", "requests/s over UPDATE's", lines);
    }
}
