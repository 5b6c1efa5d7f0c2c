package dev.fbf.loadtest.bench.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/** Draws a report's throughput: a plot for each share of retries, with a panel for each of its workloads. */
public final class GuardPlots {

    private static final String UNGUARDED = "#9e9e9e";
    private static final String OURS = "#1976d2";
    private static final String OTHERS = "#f57c00";

    private GuardPlots() {}

    /**
     * Draws the plots of a report again.
     *
     * @param args the JSON of a result; the plots are written beside it
     */
    public static void main(String[] args) throws IOException {
        Path json = Path.of(args[0]).toAbsolutePath();
        GuardReport report = JsonMapper.shared()
                .treeToValue(JsonMapper.shared().readTree(json).get("figures"), GuardReport.class);
        write(report, json.resolveSibling(""));
    }

    /** Writes guard-retries-0.svg and so on. */
    static void write(GuardReport report, Path directory) throws IOException {
        for (Map.Entry<Long, BarChart> plot : plots(report).entrySet()) {
            Files.writeString(
                    directory.resolve("guard-retries-" + plot.getKey() + ".svg"),
                    plot.getValue().svg());
        }
    }

    /** By the percentage of retries. */
    static Map<Long, BarChart> plots(GuardReport report) {
        Map<Long, BarChart> plots = new TreeMap<>();
        for (GuardReport.Result result : report.results()) {
            long retries = Math.round(result.workload().retries() * 100);
            plots.computeIfAbsent(
                            retries,
                            share -> new BarChart("Requests/s, " + share
                                    + " % of them retries, as a multiple of the unguarded UPDATE's"))
                    .add(result.workload() + ": " + result.workload().description(), bars(result));
        }
        return plots;
    }

    private static List<BarChart.Bar> bars(GuardReport.Result result) {
        double unit = result.summaries().stream()
                .filter(summary -> summary.contender() == GuardContender.UPDATE)
                .findFirst()
                .orElseThrow()
                .perSecond();
        List<BarChart.Bar> bars = new ArrayList<>();
        for (GuardReport.Summary summary : result.summaries()) {
            bars.add(new BarChart.Bar(
                    summary.contender().name(),
                    summary.perSecond() / unit,
                    summary.slowest() / unit,
                    summary.fastest() / unit,
                    colour(summary.contender())));
        }
        return bars;
    }

    private static String colour(GuardContender contender) {
        if (!contender.isGuarded()) {
            return UNGUARDED;
        }
        return contender.isOurs() ? OURS : OTHERS;
    }
}
