package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Table;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What was counted over each network.
 *
 * @param complaints why the run failed; empty if it did not
 */
record NetworkReport(List<Row> rows, List<String> complaints) {

    /**
     * A network.
     *
     * @param delayMillis how long it delayed a request, and a response, on average
     */
    record Row(double loss, long delayMillis, Map<Endpoint, Count> endpoints) {

        Count of(Endpoint endpoint) {
            return Objects.requireNonNull(endpoints.get(endpoint), "endpoint");
        }
    }

    /** An endpoint over one network. */
    record Count(long expected, long counter, double errorPercent, double requestsPerOperation, Tally.Outcome outcome) {

        Count(long expected, long counter, Tally.Outcome outcome) {
            this(
                    expected,
                    counter,
                    100.0 * (counter - expected) / expected,
                    (double) outcome.sent() / expected,
                    outcome);
        }
    }

    NetworkReport(List<Row> rows) {
        this(rows, rows.stream().flatMap(row -> complaints(row).stream()).toList());
    }

    private static List<String> complaints(Row row) {
        String where = format("loss %.1f %%, delay %d ms", 100 * row.loss(), row.delayMillis());
        return row.endpoints().entrySet().stream()
                .flatMap(one -> {
                    Count count = one.getValue();
                    return Report.complaints(where, one.getKey(), count.expected(), count.counter(), count.outcome())
                            .stream();
                })
                .toList();
    }

    /** Figure 17 as a table. */
    String table() {
        Table<Row> table = Table.<Row>of(rows)
                .number("loss", "%.1f %%", row -> 100 * row.loss())
                .number("delay", "%d ms", Row::delayMillis);
        for (Endpoint endpoint : Endpoint.values()) {
            table.number(
                    endpoint + ": requests", "%.3f", row -> row.of(endpoint).requestsPerOperation());
            table.number("error", "%+.2f %%", row -> row.of(endpoint).errorPercent());
        }
        double unguarded = rows.stream()
                .mapToDouble(row -> row.of(Endpoint.UNGUARDED).errorPercent())
                .average()
                .orElse(0);
        return format(
                "%n  Counting over a bad network (figure 17): requests for an operation, and error of the counter%n%n%s%n"
                        + "  average error without the guard: %+.2f %%%n",
                table, unguarded);
    }
}
