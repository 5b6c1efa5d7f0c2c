package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.Tally.Cause;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Counts of the clients and of the database, for each network. */
record Report(List<Row> rows) {

    /**
     * A network.
     *
     * @param delayMillis mean delay of a request, and of a response
     */
    record Row(String page, double loss, long delayMillis, Map<Endpoint, Count> endpoints) {}

    /**
     * An endpoint over one network.
     *
     * @param expected distinct operations
     * @param counter its value in the database
     */
    record Count(long expected, long counter, double errorPercent, Tally.Outcome outcome) {

        Count(long expected, long counter, Tally.Outcome outcome) {
            this(expected, counter, 100.0 * (counter - expected) / expected, outcome);
        }
    }

    private record Line(String page, Endpoint endpoint, Count count) {

        private Stream<String> complaints() {
            List<String> complaints = new ArrayList<>();
            Tally.Outcome outcome = count.outcome;
            if (endpoint.isExact() && count.counter != count.expected) {
                complaints.add(format(
                        "%s: the %s counter is %,d after %,d distinct operations: not exactly once",
                        page, endpoint, count.counter, count.expected));
            }
            // each acknowledged request moves the unguarded counter, and only requests do
            if (!endpoint.isExact() && (count.counter < outcome.acknowledged() || count.counter > outcome.sent())) {
                complaints.add(format(
                        "%s: the %s counter is %,d, yet %,d requests were sent and %,d acknowledged: this load test miscounts",
                        page, endpoint, count.counter, outcome.sent(), outcome.acknowledged()));
            }
            if (outcome.operations() != count.expected) {
                complaints.add(format(
                        "%s: clients began %,d %s operations, not %,d",
                        page, outcome.operations(), endpoint, count.expected));
            }
            if (outcome.failed() > 0) {
                complaints.add(format(
                        "%s: %,d %s operations stayed unacknowledged; the first: %s",
                        page, outcome.failed(), endpoint, outcome.firstFailure().orElse("unknown")));
            }
            return complaints.stream();
        }
    }

    private Stream<Line> lines() {
        return rows.stream()
                .flatMap(row -> row.endpoints.entrySet().stream()
                        .map(each -> new Line(row.page, each.getKey(), each.getValue())));
    }

    /** Reasons why the run failed. */
    List<String> complaints() {
        return lines().flatMap(Line::complaints).toList();
    }

    String table() {
        Table<Line> table = Table.<Line>of(lines().toList())
                .text("", Line::page)
                .text("", Line::endpoint)
                .number("operations", "%,d", line -> line.count.expected)
                .number("requests", "%,d", line -> line.count.outcome.sent());
        for (Cause cause : Cause.values()) {
            table.number(
                    cause.toString(), "%,d", line -> line.count.outcome.resent().getOrDefault(cause, 0L));
        }
        table.number("counter", "%,d", line -> line.count.counter)
                .number("error", "%+.2f %%", line -> line.count.errorPercent)
                .number("p50 ms", "%.3f", line -> line.count.outcome.p50Millis())
                .number("p99 ms", "%.3f", line -> line.count.outcome.p99Millis());
        return "\n" + table;
    }
}
