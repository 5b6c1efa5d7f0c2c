package dev.fbf.loadtest.network;

import dev.fbf.loadtest.Endpoint;
import dev.fbf.loadtest.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * What was counted over each network.
 *
 * @param complaints why the run failed; empty if it did not
 */
record NetworkReport(NetworkParameters parameters, List<Row> rows, List<String> complaints) {

    /**
     * A network.
     *
     * @param loss the share of responses that it lost
     * @param delayMillis how long it delayed a request, and a response, on average
     */
    record Row(double loss, long delayMillis, Map<Endpoint, Count> endpoints) {

        Count of(Endpoint endpoint) {
            return Objects.requireNonNull(endpoints.get(endpoint), "endpoint");
        }
    }

    /**
     * An endpoint over one network.
     *
     * @param expected the distinct operations
     * @param counter what the database says it counted
     */
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

    NetworkReport(NetworkParameters parameters, List<Row> rows) {
        this(parameters, rows, complaints(rows));
    }

    private static List<String> complaints(List<Row> rows) {
        List<String> complaints = new ArrayList<>();
        for (Row row : rows) {
            row.endpoints()
                    .forEach((endpoint, count) -> complaints.addAll(complaints(endpoint, count).stream()
                            .map(complaint -> String.format(
                                    Locale.ROOT,
                                    "loss %.1f %%, delay %d ms: %s",
                                    100 * row.loss(),
                                    row.delayMillis(),
                                    complaint))
                            .toList()));
        }
        return List.copyOf(complaints);
    }

    private static List<String> complaints(Endpoint endpoint, Count count) {
        List<String> complaints = new ArrayList<>();
        Tally.Outcome outcome = count.outcome();
        if (outcome.operations() != count.expected()) {
            complaints.add("clients began %,d %s operations, not %,d"
                    .formatted(outcome.operations(), endpoint, count.expected()));
        }
        outcome.firstFailure()
                .ifPresent(first -> complaints.add("%,d %s operations stayed unacknowledged; the first: %s"
                        .formatted(outcome.failed(), endpoint, first)));
        if (endpoint.isExact() && count.counter() != count.expected()) {
            complaints.add("the %s counter is %,d after %,d distinct operations: not exactly once"
                    .formatted(endpoint, count.counter(), count.expected()));
        }
        if (!endpoint.isExact() && (count.counter() < outcome.acknowledged() || count.counter() > outcome.sent())) {
            complaints.add(
                    "the %s counter is %,d, yet %,d requests were sent and %,d acknowledged: this load test miscounts"
                            .formatted(endpoint, count.counter(), outcome.sent(), outcome.acknowledged()));
        }
        return complaints;
    }
}
