package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.paper.Claim;
import dev.fbf.loadtest.paper.Page;
import dev.fbf.loadtest.paper.Plot;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
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
    private static final String MERGING_ALL = "b = 6, merging all";

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

    /**
     * A kind of set.
     *
     * @param slots of its buckets
     * @param maker creates an empty set with a seed
     */
    private record Kind(int slots, LongFunction<DynamicSet> maker) {

        static Kind byBuckets(Shape shape) {
            return new Kind(shape.slots(), seed -> ConsistentCuckooFilter.byBuckets(shape, seed));
        }
    }

    @Override
    public Findings run(Settings settings) throws IOException {
        runAll(settings);
        Page page = new Page(settings, "cuckoo.md");
        plot(page, "4a", "the fewest buckets that are enough", "m_opt", List.of(CCF_B), TraceRun::optimal);
        plot(page, "4b", "number of buckets", "buckets", List.of(DCF, CCF_B, CCF_F), TraceRun::buckets);
        plot(page, "4c", "space utilization", "utilization", List.of(DCF, CCF_B, CCF_F), TraceRun::utilization);
        plot(page, "4d", "empty slots", "slots", List.of(DCF, CCF_B, CCF_F), TraceRun::emptySlots);
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

    /** All kinds under the same traces: one trace for each seed, on all cores. */
    private void runAll(Settings settings) {
        int flows = settings.atLeastOne("flows");
        int peak = settings.atLeastOne("most-flows");
        List<FlowTrace> traces = LongStream.rangeClosed(1, settings.atLeastOne("seeds"))
                .parallel()
                .mapToObj(seed -> FlowTrace.of(flows, peak, seed))
                .toList();
        Map<String, Kind> kinds = kinds();
        List<TraceRun> results = kinds.values().parallelStream()
                .map(kind -> TraceRun.ofAll(IntStream.range(0, traces.size())
                        .parallel()
                        .mapToObj(i -> TraceRun.of(traces.get(i), kind.maker.apply(i + 1), kind.slots))
                        .toList()))
                .toList();
        kinds.keySet().forEach(name -> runs.put(name, results.get(runs.size())));
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        int slots = SHAPE.slots();
        kinds.put(DCF, new Kind(slots, seed -> new DynamicCuckooFilter(SHAPE, BUCKETS, seed)));
        kinds.put(CCF_B, Kind.byBuckets(SHAPE));
        kinds.put(CCF_F, new Kind(slots, seed -> ConsistentCuckooFilter.byFilters(SHAPE, BUCKETS, seed)));
        kinds.put(
                BOTH,
                new Kind(
                        slots,
                        seed -> new ConsistentCuckooFilter(
                                SHAPE,
                                Resizing.BOTH,
                                BUCKETS,
                                MOST_FILTERS,
                                ConsistentCuckooFilter.MERGE_BELOW,
                                seed)));
        PARAMETERS.forEach((parameter, values) -> values.stream()
                .skip(1)
                .forEach(value -> kinds.put(parameter + " = " + value, Kind.byBuckets(SHAPE.with(parameter, value)))));
        Shape six = SHAPE.with("b", 6);
        kinds.put(
                MERGING_ALL,
                new Kind(
                        six.slots(),
                        seed -> new ConsistentCuckooFilter(six, Resizing.BUCKETS, 1, 1, six.slots(), seed)));
        return kinds;
    }

    private static void plot(Page page, String number, String title, String x, List<Plot.Line> lines)
            throws IOException {
        StringBuilder csv = new StringBuilder("curve," + x + ",share\n");
        for (Plot.Line line : lines) {
            for (int i = 0; i < line.x().size(); i++) {
                csv.append(format(
                        "%s,%.5g,%.2f%n", line.name(), line.x().get(i), line.y().get(i)));
            }
        }
        page.plot(
                "cuckoo-figure-" + number,
                new Plot("Figure " + number + ": " + title, x, false, "share of the samples", false, lines),
                csv.toString());
    }

    /** The optimum is the same for all: its line has the name of what it shows. */
    private void plot(
            Page page,
            String number,
            String title,
            String x,
            List<String> kinds,
            Function<TraceRun, Distribution> values)
            throws IOException {
        boolean alone = kinds.size() == 1;
        plot(
                page,
                number,
                title,
                x,
                kinds.stream()
                        .map(kind -> values.apply(run(kind)).line(alone ? x : kind, alone))
                        .toList());
    }

    private void plotParameter(Page page, String number, String parameter) throws IOException {
        List<Integer> all = Objects.requireNonNull(PARAMETERS.get(parameter));
        plot(
                page,
                number,
                "utilization of CCF_B by " + parameter,
                "utilization",
                all.stream()
                        .map(value -> run(value.equals(all.get(0)) ? CCF_B : parameter + " = " + value)
                                .utilization()
                                .line(parameter + " = " + value, false))
                        .toList());
    }

    private TraceRun run(String kind) {
        return Objects.requireNonNull(runs.get(kind), kind);
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
