package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.paper.Claim;
import dev.fbf.loadtest.paper.Page;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * Repeats the figures 4 and 5 and table I of the cuckoo paper, and writes the page, its plots and its data. Fails if an element that
 * was stored is not found.
 */
public final class CuckooReproduction implements Run {

    private static final String DCF = "DCF";
    private static final String CCF_B = "CCF_B";
    private static final String CCF_F = "CCF_F";
    private static final String BOTH = "CCF, both";

    private static final Shape SHAPE = Shape.PAPER;

    /** m_i of section V-A. */
    private static final int BUCKETS = 64;

    private static final int MOST_FILTERS = 4;

    /** Section V-B: the values of each parameter, of which the first is that of section V-A. */
    private static final Map<String, List<Integer>> PARAMETERS = Map.of(
            "k", List.of(2, 4, 8, 16),
            "b", List.of(3, 4, 5, 6),
            "max", List.of(1_200, 1_000, 850, 700),
            "v", List.of(10, 5, 2, 1));

    private final Map<String, TraceRun> runs = new LinkedHashMap<>();

    @Override
    public Findings run(Settings settings) throws IOException {
        runAll(settings);
        Page page = new Page(settings, "cuckoo.md");
        plot(page, "4a", "the fewest buckets that are enough", "m_opt", TraceRun::optimal, "m_opt");
        plot(page, "4b", "number of buckets", "buckets", TraceRun::buckets, DCF, CCF_B, CCF_F);
        plot(page, "4c", "space utilization", "utilization", TraceRun::utilization, DCF, CCF_B, CCF_F);
        plot(page, "4d", "empty slots", "slots", TraceRun::emptySlots, DCF, CCF_B, CCF_F);
        plotParameter(page, "5a", "k");
        plotParameter(page, "5b", "b");
        plotParameter(page, "5c", "max");
        plotParameter(page, "5d", "v");
        int lost = runs.values().stream().mapToInt(TraceRun::lost).sum();
        Map<String, Object> figures = new LinkedHashMap<>();
        runs.forEach((name, run) -> figures.put(name, run.figures()));
        List<Claim> claims = page.write(Map.of("lost", lost, "runs", figures, "bits", bits()));
        return new Findings(
                Map.of("claims", claims),
                Claim.table("cuckoo paper: claims judged", claims),
                List.of(Target.atMost("flows lost", 0, lost)),
                lost == 0 ? List.of() : List.of(lost + " flows of the traces were lost"),
                Map.of());
    }

    /** All kinds under the same traces, on all cores: one trace for each seed. */
    private void runAll(Settings settings) {
        List<FlowTrace> traces = LongStream.rangeClosed(1, settings.atLeastOne("seeds"))
                .mapToObj(seed -> FlowTrace.of(settings.atLeastOne("flows"), settings.atLeastOne("most-flows"), seed))
                .toList();
        Map<String, Supplier<TraceRun>> kinds = kinds(traces);
        List<TraceRun> results =
                kinds.values().parallelStream().map(Supplier::get).toList();
        kinds.keySet().forEach(name -> runs.put(name, results.get(runs.size())));
    }

    private static Map<String, Supplier<TraceRun>> kinds(List<FlowTrace> traces) {
        Map<String, Supplier<TraceRun>> kinds = new LinkedHashMap<>();
        kinds.put(DCF, () -> TraceRun.of(traces, seed -> new DynamicCuckooFilter(SHAPE, BUCKETS, seed), SHAPE.slots()));
        kinds.put(CCF_B, () -> byBuckets(traces, SHAPE, ConsistentCuckooFilter.MERGE_BELOW));
        kinds.put(CCF_F, () -> byFilters(traces, Resizing.FILTERS));
        kinds.put(BOTH, () -> byFilters(traces, Resizing.BOTH));
        PARAMETERS.forEach((parameter, values) -> values.stream()
                .skip(1)
                .forEach(value -> kinds.put(
                        parameter + " = " + value,
                        () -> byBuckets(traces, SHAPE.with(parameter, value), ConsistentCuckooFilter.MERGE_BELOW))));
        kinds.put("b = 6, merging all", () -> byBuckets(traces, SHAPE.with("b", 6), 6));
        return kinds;
    }

    private static TraceRun byBuckets(List<FlowTrace> traces, Shape shape, int mergeBelow) {
        return TraceRun.of(
                traces,
                seed -> new ConsistentCuckooFilter(shape, Resizing.BUCKETS, 1, 1, mergeBelow, seed),
                shape.slots());
    }

    private static TraceRun byFilters(List<FlowTrace> traces, Resizing resizing) {
        return TraceRun.of(
                traces,
                seed -> new ConsistentCuckooFilter(
                        SHAPE, resizing, BUCKETS, MOST_FILTERS, ConsistentCuckooFilter.MERGE_BELOW, seed),
                SHAPE.slots());
    }

    private void plotParameter(Page page, String number, String parameter) throws IOException {
        String[] kinds = Objects.requireNonNull(PARAMETERS.get(parameter)).stream()
                .map(value -> parameter + " = " + value)
                .toArray(String[]::new);
        plot(page, number, "utilization of CCF_B by " + parameter, "utilization", TraceRun::utilization, kinds);
    }

    private void plot(
            Page page, String number, String title, String x, Function<TraceRun, Distribution> values, String... kinds)
            throws IOException {
        StringBuilder csv = new StringBuilder("curve," + x + ",share\n");
        List<Plot.Line> lines = new ArrayList<>();
        for (String kind : kinds) {
            Plot.Line line = values.apply(run(kind)).line(kind, kinds.length == 1);
            lines.add(line);
            for (int i = 0; i < line.x().size(); i++) {
                csv.append(
                        format("%s,%.5g,%.2f%n", kind, line.x().get(i), line.y().get(i)));
            }
        }
        page.plot(
                "cuckoo-figure-" + number,
                new Plot("Figure " + number + ": " + title, x, false, "share of the samples", false, lines),
                csv.toString());
    }

    /** The optimum is the same for all; with the values of section V-A a kind is CCF_B. */
    private TraceRun run(String kind) {
        return runs.getOrDefault(kind, Objects.requireNonNull(runs.get(CCF_B)));
    }

    /** Bits of a stored element by kind, as means over the elements, not over the samples. */
    private Map<String, Object> bits() {
        Map<String, Object> bits = new LinkedHashMap<>();
        for (String kind : List.of(DCF, CCF_B, CCF_F, BOTH)) {
            double buckets = run(kind).buckets().mean();
            double ofElement =
                    buckets / (buckets * SHAPE.slots() - run(kind).emptySlots().mean());
            bits.put(
                    kind,
                    Map.of(
                            "slots",
                            SHAPE.fingerprintBits() * SHAPE.slots() * ofElement,
                            "ring",
                            kind.equals(DCF) ? 0 : SHAPE.ringBits((int) buckets) * ofElement));
        }
        return bits;
    }
}
