package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.CapacityTest.Contender;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The capacity of each contender.
 *
 * @param ratio requests per second with {@code SqlCounters} in filter mode / requests per second without the guard
 * @param complaints reasons why the run failed
 */
record CapacityReport(List<Row> rows, double ratio, List<String> complaints) {

    private static final double TARGET = 2;

    static CapacityReport of(List<Row> rows) {
        return new CapacityReport(
                rows,
                row(rows, Contender.GROUPED).ratio(rows),
                rows.stream().flatMap(Row::complaints).toList());
    }

    private static Row row(List<Row> rows, Contender contender) {
        return rows.stream()
                .filter(row -> row.contender.equals(contender))
                .findFirst()
                .orElseThrow();
    }

    List<Target> targets() {
        return List.of(Target.atLeast("requests a second: SqlCounters over unguarded", TARGET, ratio));
    }

    /**
     * A contender.
     *
     * @param medians of its rounds, by the names of {@link Turn#figures}
     * @param lowest requests per second of its worst round
     * @param highest requests per second of its best round
     * @param operations distinct operations, of all rounds together
     * @param failure the first operation that was never acknowledged; empty if there is none
     */
    record Row(
            Contender contender,
            Map<String, Double> medians,
            double lowest,
            double highest,
            long operations,
            long counter,
            double errorPercent,
            String failure,
            List<Map<String, Double>> rounds) {

        static Row of(
                Contender contender, List<Map<String, Double>> rounds, long operations, long counter, String failure) {
            Map<String, Double> medians = new TreeMap<>();
            rounds.get(0).keySet().forEach(name -> medians.put(name, Rounds.median(column(rounds, name))));
            List<Double> rates = column(rounds, "requestsPerSecond");
            return new Row(
                    contender,
                    medians,
                    Collections.min(rates),
                    Collections.max(rates),
                    operations,
                    counter,
                    100.0 * (counter - operations) / operations,
                    failure,
                    rounds);
        }

        private static List<Double> column(List<Map<String, Double>> rounds, String name) {
            return rounds.stream()
                    .map(round -> Objects.requireNonNull(round.get(name), name))
                    .toList();
        }

        double median(String name) {
            return Objects.requireNonNull(medians.get(name), name);
        }

        double ratio(List<Row> rows) {
            return median("requestsPerSecond") / row(rows, Contender.UNGUARDED).median("requestsPerSecond");
        }

        private Stream<String> complaints() {
            boolean wrong = contender.endpoint().isExact() ? counter != operations : counter < operations;
            String counted = format(
                    "%s: the counter is %,d after %,d distinct operations: %s",
                    contender,
                    counter,
                    operations,
                    contender.endpoint().isExact() ? "not exactly once" : "this load test miscounts");
            return Stream.concat(
                    wrong ? Stream.of(counted) : Stream.of(),
                    failure.isEmpty() ? Stream.of() : Stream.of(contender + ": " + failure));
        }
    }

    String table() {
        return "\n"
                + Table.of(rows)
                        .text("everybody views one page", Row::contender)
                        .number("req/s", "%,.0f", row -> row.median("requestsPerSecond"))
                        .number("lowest – highest", "%s", row -> format("%,.0f – %,.0f", row.lowest, row.highest))
                        .number("ratio", "%.2f", row -> row.ratio(rows))
                        .number("p50 ms", "%.2f", row -> row.median("p50Millis"))
                        .number("p99 ms", "%.2f", row -> row.median("p99Millis"))
                        .number("p99.9 ms", "%.2f", row -> row.median("p999Millis"))
                        .number("error %", "%+.3f", Row::errorPercent)
                        .number("µs per request: Gatling", "%.0f", row -> row.median("gatling"))
                        .number("app", "%.0f", row -> row.median("app"))
                        .number("database", "%.0f", row -> row.median("postgres"));
    }
}
