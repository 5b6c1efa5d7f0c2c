package dev.fbf.loadtest;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a run found.
 *
 * @param ratio p50 of each endpoint / p50 of the unguarded one, without faults
 * @param complaints why the run failed; empty if it did not
 */
record Report(
        Parameters parameters, Map<Endpoint, Row> endpoints, Map<Endpoint, Double> ratio, List<String> complaints) {

    /**
     * One endpoint.
     *
     * @param expected the distinct operations of the phase with faults
     * @param counter what the database says it counted in that phase
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

    Report(Parameters parameters, Map<Endpoint, Row> endpoints) {
        this(parameters, endpoints, ratio(endpoints), complaints(endpoints));
    }

    Row row(Endpoint endpoint) {
        return row(endpoints, endpoint);
    }

    private static Map<Endpoint, Double> ratio(Map<Endpoint, Row> endpoints) {
        double unguarded = row(endpoints, Endpoint.UNGUARDED).noFaults().p50Millis();
        Map<Endpoint, Double> ratio = new EnumMap<>(Endpoint.class);
        endpoints.forEach((endpoint, row) -> ratio.put(endpoint, row.noFaults().p50Millis() / unguarded));
        return ratio;
    }

    private static Row row(Map<Endpoint, Row> endpoints, Endpoint endpoint) {
        Row row = endpoints.get(endpoint);
        if (row == null) {
            throw new IllegalArgumentException("endpoints=" + endpoints.keySet() + " lack " + endpoint);
        }
        return row;
    }

    private static List<String> complaints(Map<Endpoint, Row> endpoints) {
        List<String> complaints = new ArrayList<>();
        endpoints.forEach((endpoint, row) -> {
            if (endpoint.isExact()) {
                exact(complaints, endpoint, Phase.FAULTS, row.counter(), row.expected());
                exact(complaints, endpoint, Phase.NO_FAULTS, row.counterWithoutFaults(), row.expectedWithoutFaults());
            }
            allAcknowledged(complaints, endpoint, Phase.FAULTS, row.faults(), row.expected());
            allAcknowledged(complaints, endpoint, Phase.NO_FAULTS, row.noFaults(), row.expectedWithoutFaults());
        });
        Row unguarded = row(endpoints, Endpoint.UNGUARDED);
        between(complaints, Phase.FAULTS, unguarded.counter(), unguarded.faults());
        between(complaints, Phase.NO_FAULTS, unguarded.counterWithoutFaults(), unguarded.noFaults());
        return List.copyOf(complaints);
    }

    private static void exact(List<String> complaints, Endpoint endpoint, Phase phase, long counter, long expected) {
        if (counter != expected) {
            complaints.add("%s: the %s counter is %,d after %,d distinct operations: not exactly once"
                    .formatted(phase, endpoint, counter, expected));
        }
    }

    private static void allAcknowledged(
            List<String> complaints, Endpoint endpoint, Phase phase, Tally.Outcome outcome, long expected) {
        if (outcome.operations() != expected) {
            complaints.add("%s: clients began %,d %s operations, not %,d"
                    .formatted(phase, outcome.operations(), endpoint, expected));
        }
        if (outcome.failed() > 0) {
            complaints.add("%s: %,d %s operations stayed unacknowledged; the first: %s"
                    .formatted(
                            phase,
                            outcome.failed(),
                            endpoint,
                            outcome.firstFailure().orElse("unknown")));
        }
    }

    /** Each acknowledged request moved the unguarded counter, and nothing but a request ever does: or we cannot count. */
    private static void between(List<String> complaints, Phase phase, long counter, Tally.Outcome outcome) {
        if (counter < outcome.acknowledged() || counter > outcome.sent()) {
            complaints.add("%s: the unguarded counter is %,d, yet %,d requests were sent and %,d acknowledged: "
                            .formatted(phase, counter, outcome.sent(), outcome.acknowledged())
                    + "this load test miscounts");
        }
    }
}
