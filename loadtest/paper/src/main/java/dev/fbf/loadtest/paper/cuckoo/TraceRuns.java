package dev.fbf.loadtest.paper.cuckoo;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.paper.Plot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;

/** Several kinds of sets under the same traces: one trace for each seed, on all cores. */
final class TraceRuns {

    private final List<FlowTrace> traces;
    private final Map<String, List<TraceRun>> runs = new LinkedHashMap<>();

    /** Makes an empty set with a seed. */
    interface Maker {
        DynamicSet make(long seed);
    }

    TraceRuns(List<FlowTrace> traces) {
        this.traces = traces;
    }

    static List<FlowTrace> traces(int flows, int peak, int seeds) {
        return LongStream.rangeClosed(1, seeds)
                .parallel()
                .mapToObj(seed -> FlowTrace.of(flows, peak, seed))
                .toList();
    }

    /** A kind of set, and how many slots its buckets have. */
    record Kind(String name, int slots, Maker maker) {}

    TraceRuns run(Collection<Kind> kinds) {
        record Turn(Kind kind, int seed) {}
        List<Turn> turns = kinds.stream()
                .flatMap(kind -> LongStream.range(0, traces.size()).mapToObj(seed -> new Turn(kind, (int) seed)))
                .toList();
        List<TraceRun> results = turns.parallelStream()
                .map(turn -> TraceRun.of(traces.get(turn.seed), turn.kind.maker.make(turn.seed + 1L), turn.kind.slots))
                .toList();
        for (int i = 0; i < turns.size(); i++) {
            runs.computeIfAbsent(turns.get(i).kind.name, name -> new ArrayList<>())
                    .add(results.get(i));
        }
        return this;
    }

    Distribution all(String kind, Function<TraceRun, Distribution> values) {
        return Distribution.ofAll(of(kind).stream().map(values).toList());
    }

    double mean(String kind, Function<TraceRun, Double> value) {
        return of(kind).stream().mapToDouble(value::apply).average().orElseThrow();
    }

    int lost() {
        return runs.values().stream()
                .flatMap(List::stream)
                .mapToInt(TraceRun::lost)
                .sum();
    }

    int lost(String kind) {
        return of(kind).stream().mapToInt(TraceRun::lost).sum();
    }

    private List<TraceRun> of(String kind) {
        List<TraceRun> found = runs.get(kind);
        if (found == null) {
            throw new IllegalArgumentException("kind=" + kind + ": must be one of " + runs.keySet());
        }
        return found;
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
