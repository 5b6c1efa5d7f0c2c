package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Repeats the figures and tables of the cuckoo paper, compares windows over operations, and writes the page, its plots and
 * its data. Fails if an element that was stored is not found.
 */
public final class CuckooReproduction implements Run {

    /** Of what a CCF can hold, when it is timed: with less room, reallocations and new buckets would take most of its time. */
    private static final double LOAD = 0.9;

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException {
        PageFiles files = new PageFiles(settings.inRepository(settings.text("page")));
        int seeds = settings.atLeastOne("seeds");
        List<FlowTrace> traces =
                TraceRuns.traces(settings.atLeastOne("flows"), settings.atLeastOne("most-flows"), seeds);
        List<TraceRuns.Kind> kinds = new ArrayList<>(DynamicCuckooComparison.kinds());
        kinds.addAll(ParameterImpact.kinds());
        TraceRuns runs = new TraceRuns(traces).run(kinds);
        DynamicCuckooComparison comparison = new DynamicCuckooComparison(runs, files);
        WindowCost costs = new WindowCost(settings.atLeastOne("ring-buckets"));
        WindowComparison window = new WindowComparison(costs, windowTimes(settings, costs), files);
        int mostFlows = settings.atLeastOne("most-flows");
        List<Section> sections = new ArrayList<>(List.of(
                window.section(),
                comparison.section(),
                new ParameterImpact(runs, files).section(),
                comparison.features(),
                new Thresholds(settings.atLeastOne("table-buckets"), seeds).section(),
                new FalsePositives(mostFlows, settings.atLeastOne("absent"), files).section()));
        if (settings.flag("timed")) {
            sections.add(new Times(settings.atLeastOne("rounds"), mostFlows).section());
        }
        List<Judged> claims =
                sections.stream().flatMap(section -> section.claims().stream()).toList();
        files.write("cuckoo.md", CuckooPage.of(window.answer(), sections, claims, traces));
        return findings(runs, window, claims);
    }

    private static List<WindowTimes.Row> windowTimes(Settings settings, WindowCost costs)
            throws IOException, InterruptedException {
        List<WindowTimes.Row> rows = new ArrayList<>();
        WindowTimes times = new WindowTimes(
                settings.atLeastOne("window-operations"),
                settings.atLeastOne("window-seconds"),
                LOAD * costs.papersLoad());
        for (double fpp : settings.flag("timed") ? WindowCost.PROBABILITIES : List.<Double>of()) {
            rows.addAll(times.measure(fpp));
        }
        return rows;
    }

    private static Findings findings(TraceRuns runs, WindowComparison window, List<Judged> claims) {
        List<String> failures = new ArrayList<>();
        if (runs.lost() > 0) {
            failures.add(runs.lost() + " flows of the traces were lost");
        }
        if (window.forgotten() > 0) {
            failures.add(window.forgotten() + " operations were forgotten within the window");
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("claims", claims);
        figures.put("window", window.json());
        return new Findings(
                figures,
                table(claims),
                List.of(
                        Target.atMost("flows lost", 0, runs.lost()),
                        Target.atMost("operations forgotten within the window", 0, window.forgotten())),
                failures,
                Map.of());
    }

    /** The verdicts for people at a terminal. */
    private static String table(List<Judged> claims) {
        return "\n  cuckoo paper: claims judged\n\n"
                + Table.of(claims)
                        .text("of", Judged::where)
                        .text("verdict", Judged::verdict)
                        .text("claim", Judged::claim)
                        .text("here", Judged::measured)
                + format("%n");
    }
}
