package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.Tally.Cause;
import dev.fbf.loadtest.harness.Table;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * What a run found.
 *
 * @param ratio p50 of each endpoint / p50 of the unguarded one, without faults
 * @param complaints why the run failed; empty if it did not
 */
record Report(Map<Endpoint, Row> endpoints, Map<Endpoint, Double> ratio, List<String> complaints) {

    /**
     * One endpoint.
     *
     * @param expected the distinct operations of the phase with faults
     * @param counterWithoutFaults what it counted in the phase without
     */
    record Row(
            long expected,
            long counter,
            double errorPercent,
            long expectedWithoutFaults,
            long counterWithoutFaults,
            Tally.Outcome faults,
            Tally.Outcome noFaults) {

        Row(
                long expected,
                long counter,
                long expectedWithoutFaults,
                long counterWithoutFaults,
                Tally.Outcome faults,
                Tally.Outcome noFaults) {
            this(
                    expected,
                    counter,
                    100.0 * (counter - expected) / expected,
                    expectedWithoutFaults,
                    counterWithoutFaults,
                    faults,
                    noFaults);
        }
    }

    Report(Map<Endpoint, Row> endpoints) {
        this(endpoints, ratio(endpoints), complaints(endpoints));
    }

    private static Map<Endpoint, Double> ratio(Map<Endpoint, Row> endpoints) {
        double unguarded = row(endpoints, Endpoint.UNGUARDED).noFaults().p50Millis();
        Map<Endpoint, Double> ratio = new EnumMap<>(Endpoint.class);
        endpoints.forEach((endpoint, row) -> ratio.put(endpoint, row.noFaults().p50Millis() / unguarded));
        return ratio;
    }

    private static Row row(Map<Endpoint, Row> endpoints, Endpoint endpoint) {
        return Objects.requireNonNull(endpoints.get(endpoint), "endpoint");
    }

    private static List<String> complaints(Map<Endpoint, Row> endpoints) {
        List<String> complaints = new ArrayList<>();
        endpoints.forEach((endpoint, row) -> {
            complaints.addAll(complaints("faults", endpoint, row.expected(), row.counter(), row.faults()));
            complaints.addAll(complaints(
                    "no-faults", endpoint, row.expectedWithoutFaults(), row.counterWithoutFaults(), row.noFaults()));
        });
        return List.copyOf(complaints);
    }

    /** What is wrong with an endpoint's counter, or with what its clients did. */
    static List<String> complaints(
            String where, Endpoint endpoint, long expected, long counter, Tally.Outcome outcome) {
        List<String> complaints = new ArrayList<>();
        if (endpoint.isExact() && counter != expected) {
            complaints.add(format(
                    "%s: the %s counter is %,d after %,d distinct operations: not exactly once",
                    where, endpoint, counter, expected));
        }
        // each acknowledged request moves the unguarded counter, and nothing but a request ever does
        if (!endpoint.isExact() && (counter < outcome.acknowledged() || counter > outcome.sent())) {
            complaints.add(format(
                    "%s: the %s counter is %,d, yet %,d requests were sent and %,d acknowledged: this load test miscounts",
                    where, endpoint, counter, outcome.sent(), outcome.acknowledged()));
        }
        if (outcome.operations() != expected) {
            complaints.add(format(
                    "%s: clients began %,d %s operations, not %,d", where, outcome.operations(), endpoint, expected));
        }
        if (outcome.failed() > 0) {
            complaints.add(format(
                    "%s: %,d %s operations stayed unacknowledged; the first: %s",
                    where, outcome.failed(), endpoint, outcome.firstFailure().orElse("unknown")));
        }
        return complaints;
    }

    private record Line(String name, String format, Function<Row, ?> value) {}

    String table() {
        List<Line> lines = new ArrayList<>(List.of(
                new Line("distinct operations", "%,d", row -> row.faults().operations()),
                new Line("requests sent", "%,d", row -> row.faults().sent())));
        for (Cause cause : Cause.values()) {
            lines.add(new Line(
                    "  retries: " + cause, "%,d", row -> row.faults().resent().getOrDefault(cause, 0L)));
        }
        lines.add(new Line("expected value", "%,d", Row::expected));
        lines.add(new Line("counter value", "%,d", Row::counter));
        lines.add(new Line("error", "%+.2f %%", Row::errorPercent));
        lines.add(
                new Line("p50 without faults", "%.3f ms", row -> row.noFaults().p50Millis()));
        lines.add(
                new Line("p99 without faults", "%.3f ms", row -> row.noFaults().p99Millis()));
        lines.add(new Line("p50 under faults", "%.3f ms", row -> row.faults().p50Millis()));
        lines.add(new Line("p99 under faults", "%.3f ms", row -> row.faults().p99Millis()));
        Table<Line> table = Table.<Line>of(lines).text("", Line::name);
        endpoints.forEach((endpoint, row) -> table.number(
                endpoint.toString(),
                "%s",
                line -> format(line.format(), line.value().apply(row))));
        StringBuilder text = new StringBuilder("\n").append(table);
        Row unguarded = row(endpoints, Endpoint.UNGUARDED);
        text.append(format(
                "%n  %,d of the %,d requests to the unguarded endpoint reached its SQL: its counter counts them.%n",
                unguarded.counter(), unguarded.faults().sent()));
        ratio.forEach((endpoint, times) -> {
            if (endpoint != Endpoint.UNGUARDED) {
                text.append(format("  p50 %s / p50 unguarded, without faults: %.2f%n", endpoint, times));
            }
        });
        return text.toString();
    }
}
