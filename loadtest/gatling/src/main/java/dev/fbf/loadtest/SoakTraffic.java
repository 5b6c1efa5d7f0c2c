package dev.fbf.loadtest;

import dev.fbf.loadtest.Plan.Operation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Operations without end, tallied apart for each time between two samples. Safe for use by many threads. */
final class SoakTraffic implements Iterator<Delivery> {

    private final Operations operations;
    private final Map<Endpoint, List<Tally>> tallies = new EnumMap<>(Endpoint.class);

    private volatile boolean begun;

    SoakTraffic(Operations operations) {
        this.operations = operations;
        operations.endpoints().forEach(endpoint -> tallies.put(endpoint, new ArrayList<>()));
        cut();
    }

    @Override
    public boolean hasNext() {
        return true;
    }

    @Override
    public synchronized Delivery next() {
        begun = true;
        Operation operation = operations.next();
        return operations.deliver(operation, newest(operation.endpoint()));
    }

    /** Whether the first operation has been asked for. */
    boolean hasBegun() {
        return begun;
    }

    private Tally newest(Endpoint endpoint) {
        List<Tally> own = of(endpoint);
        return own.get(own.size() - 1);
    }

    private List<Tally> of(Endpoint endpoint) {
        return tallies.computeIfAbsent(endpoint, none -> new ArrayList<>());
    }

    /** What the endpoints answered since this was last called, those operations that began since then. */
    synchronized Map<Endpoint, Tally.Outcome> cut() {
        Map<Endpoint, Tally.Outcome> outcomes = new EnumMap<>(Endpoint.class);
        tallies.forEach((endpoint, own) -> {
            if (!own.isEmpty()) {
                outcomes.put(endpoint, newest(endpoint).outcome());
            }
            own.add(new Tally());
        });
        return outcomes;
    }

    /** The distinct operations that were acknowledged, all in all, once all have ended. */
    synchronized long acknowledged(Endpoint endpoint) {
        return sum(endpoint, outcome -> outcome.operations() - outcome.failed());
    }

    /** Those that were not. */
    synchronized long unacknowledged(Endpoint endpoint) {
        return sum(endpoint, Tally.Outcome::failed);
    }

    private long sum(Endpoint endpoint, ToLongFunction<Tally.Outcome> value) {
        return of(endpoint).stream().map(Tally::outcome).mapToLong(value).sum();
    }

    /** What is known about the first operation that was not, if there is one. */
    synchronized Optional<String> firstFailure() {
        return tallies.values().stream()
                .flatMap(List::stream)
                .flatMap(tally -> tally.outcome().firstFailure().stream())
                .findFirst();
    }
}
