package dev.fbf.loadtest.bench;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.Target.Bound;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * The result of a benchmark.
 *
 * @param turns in their order
 * @param results the medians of the turns, by workloads in the order in which they first appear
 */
public record Report(List<Turn> turns, List<Result> results) {

    /** What pages and targets call a figure. */
    private static final Map<String, String> NAMES = Map.of(
            "perSecond",
            "requests/s",
            "p50Micros",
            "p50",
            "serverMicros",
            "server's processor time",
            "walBytes",
            "bytes of the log for a request",
            "tableBytes",
            "bytes of tables for a request",
            "unfairness",
            "p99 of the slowest node over the fastest's",
            "allocatedBytes",
            "bytes allocated");

    /** The contenders in a workload. */
    public record Result(String workload, List<Summary> summaries) {}

    /**
     * A contender's turns in a workload.
     *
     * @param figures the medians of the turns' figures; {@code slowest} and {@code fastest} are the requests per second of the worst and
     *     the best turn
     */
    public record Summary(Enum<?> contender, @JsonAnyGetter Map<String, Double> figures) {

        public double get(String figure) {
            return Objects.requireNonNull(figures.get(figure), figure);
        }

        private static Summary of(List<Turn> turns) {
            Map<String, Double> figures = new LinkedHashMap<>();
            for (String figure : turns.get(0).figures().keySet()) {
                figures.put(figure, Rounds.median(column(turns, figure)));
            }
            List<Double> rates = column(turns, "perSecond");
            figures.put("slowest", Collections.min(rates));
            figures.put("fastest", Collections.max(rates));
            return new Summary(turns.get(0).contender(), figures);
        }

        private static List<Double> column(List<Turn> turns, String figure) {
            return turns.stream()
                    .map(turn -> Objects.requireNonNull(turn.figures().get(figure), figure))
                    .toList();
        }
    }

    /** Summarizes turns. */
    public static Report of(List<Turn> turns) {
        List<Result> results = new ArrayList<>();
        grouped(turns, Turn::workload)
                .forEach((workload, its) -> results.add(new Result(
                        workload,
                        grouped(its, Turn::contender).values().stream()
                                .map(Summary::of)
                                .toList())));
        return new Report(turns, results);
    }

    private static <K> Map<K, List<Turn>> grouped(Collection<Turn> turns, Function<Turn, K> by) {
        return turns.stream().collect(groupingBy(by, LinkedHashMap::new, toList()));
    }

    /**
     * Compares contenders. A comparison with a contender or a workload that took no part is left out.
     *
     * @param wanted a line for each comparison: {@code workload | contender | other | figure | >=bound}. The other is a contender in the
     *     same workload, or {@code workload: contender}; {@code -} bounds the figure itself
     */
    public List<Target> targets(String wanted) {
        List<Target> targets = new ArrayList<>();
        for (String line : wanted.lines().toList()) {
            String[] words = line.split(" \\| ", -1);
            List<Summary> one = find(words[0], words[1]);
            String[] place = words[2].split(": ", -1);
            List<Summary> other = place.length == 1 ? find(words[0], words[2]) : find(place[0], place[1]);
            boolean single = words[2].equals("-");
            if (!one.isEmpty() && (single || !other.isEmpty())) {
                double measured = one.get(0).get(words[3]);
                targets.add(Target.of(
                        words[0] + ": " + words[1] + (single ? "" : " over " + words[2]) + ", "
                                + NAMES.getOrDefault(words[3], words[3]),
                        bound(words[4]),
                        single ? measured : measured / other.get(0).get(words[3])));
            }
        }
        return targets;
    }

    private static Bound bound(String text) {
        double value = Double.parseDouble(text.substring(2));
        return text.startsWith(">") ? Bound.atLeast(value) : Bound.atMost(value);
    }

    private List<Summary> find(String workload, String contender) {
        return results.stream()
                .filter(result -> result.workload.equals(workload))
                .flatMap(result -> result.summaries.stream())
                .filter(summary -> summary.contender.name().equals(contender))
                .toList();
    }

    /** All figures of each workload, by their names. */
    public String table() {
        StringBuilder text = new StringBuilder();
        for (Result result : results) {
            Table<Summary> table = Table.<Summary>of(result.summaries).text("", Summary::contender);
            result.summaries
                    .get(0)
                    .figures
                    .keySet()
                    .forEach(name -> table.number(name, "%,.2f", summary -> summary.get(name)));
            text.append("\n  ").append(result.workload).append('\n').append(table);
        }
        return text.toString();
    }
}
