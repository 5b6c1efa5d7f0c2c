package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.paper.Plot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/** Several kinds of sets under the same traces: one trace for each seed, on all cores. */
final class TraceRuns {

    private final Map<String, TraceRun> runs = new LinkedHashMap<>();

    /**
     * A kind of set.
     *
     * @param slots of its buckets
     * @param maker creates an empty set with a seed
     */
    record Kind(String name, int slots, LongFunction<DynamicSet> maker) {}

    TraceRuns(int flows, int peak, int seeds, List<Kind> kinds) {
        List<FlowTrace> traces = LongStream.rangeClosed(1, seeds)
                .parallel()
                .mapToObj(seed -> FlowTrace.of(flows, peak, seed))
                .toList();
        List<List<TraceRun>> results = kinds.parallelStream()
                .map(kind -> LongStream.rangeClosed(1, seeds)
                        .parallel()
                        .mapToObj(seed -> TraceRun.of(traces.get((int) seed - 1), kind.maker.apply(seed), kind.slots))
                        .toList())
                .toList();
        for (int i = 0; i < kinds.size(); i++) {
            runs.put(kinds.get(i).name, TraceRun.ofAll(results.get(i)));
        }
    }

    TraceRun of(String kind) {
        return Objects.requireNonNull(runs.get(kind), kind);
    }

    int lost() {
        return runs.values().stream().mapToInt(TraceRun::lost).sum();
    }

    /** Lines as data. */
    static String csv(String x, List<Plot.Line> lines) {
        StringBuilder text = new StringBuilder("curve," + x + ",share\n");
        for (Plot.Line line : lines) {
            for (int i = 0; i < line.x().size(); i++) {
                text.append(format(
                        "%s,%.5g,%.2f%n", line.name(), line.x().get(i), line.y().get(i)));
            }
        }
        return text.toString();
    }
}
