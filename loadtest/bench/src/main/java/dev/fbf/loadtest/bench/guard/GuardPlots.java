package dev.fbf.loadtest.bench.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws a report's throughput: a plot for each share of retries, with a panel for each of its workloads. Where {@code UPDATE} took no
 * part, in requests a second.
 */
public final class GuardPlots {

    private GuardPlots() {}

    /**
     * Draws the plots of a report again.
     *
     * @param args the JSON of a result; the plots are written beside it
     */
    public static void main(String[] args) throws IOException {
        Path json = Path.of(args[0]).toAbsolutePath();
        JsonMapper mapper = JsonMapper.shared();
        write(mapper.treeToValue(mapper.readTree(json).get("figures"), GuardReport.class), json.resolveSibling(""));
    }

    /** Writes guard-retries-0.svg and so on, by the percentage of retries. */
    static void write(GuardReport report, Path directory) throws IOException {
        Map<Long, BarChart> plots = new TreeMap<>();
        for (GuardReport.Result result : report.results()) {
            plots.computeIfAbsent(
                            Math.round(result.workload().retries() * 100),
                            share -> new BarChart("Requests/s, " + share
                                    + " % of them retries, as a multiple of the unguarded UPDATE's"))
                    .add(result.workload() + ": " + result.workload().description(), bars(result));
        }
        for (Map.Entry<Long, BarChart> plot : plots.entrySet()) {
            Files.writeString(
                    directory.resolve("guard-retries-" + plot.getKey() + ".svg"),
                    plot.getValue().svg());
        }
    }

    private static List<BarChart.Bar> bars(GuardReport.Result result) {
        double unit = result.summaries().stream()
                .filter(summary -> summary.contender() == GuardContender.UPDATE)
                .mapToDouble(GuardReport.Summary::perSecond)
                .findFirst()
                .orElse(1);
        return result.summaries().stream()
                .map(summary -> new BarChart.Bar(
                        summary.contender().name(),
                        summary.perSecond() / unit,
                        summary.slowest() / unit,
                        summary.fastest() / unit,
                        colour(summary.contender())))
                .toList();
    }

    /** Grey without a guard, blue with fbf's, orange with others. */
    private static String colour(GuardContender contender) {
        if (!contender.isGuarded()) {
            return "#9e9e9e";
        }
        return contender.isOurs() ? "#1976d2" : "#f57c00";
    }
}
