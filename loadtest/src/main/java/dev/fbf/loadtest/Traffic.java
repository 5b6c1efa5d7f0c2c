package dev.fbf.loadtest;

import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Every operation of a run, drawn from its seed before the run begins, and the tallies of what became of them. */
final class Traffic {

    private final Parameters parameters;
    private final Map<Phase, List<Operation>> operations = new EnumMap<>(Phase.class);
    private final Map<Phase, Map<Endpoint, Tally>> tallies = new EnumMap<>(Phase.class);

    Traffic(Parameters parameters) {
        this.parameters = parameters;
        SplittableRandom chance = new SplittableRandom(parameters.seed());
        for (Phase phase : Phase.values()) {
            operations.put(phase, Operation.draw(parameters.plan(phase), chance.split()));
            Map<Endpoint, Tally> byEndpoint = new EnumMap<>(Endpoint.class);
            for (Endpoint endpoint : Endpoint.values()) {
                byEndpoint.put(endpoint, new Tally());
            }
            tallies.put(phase, byEndpoint);
        }
    }

    Parameters parameters() {
        return parameters;
    }

    /** How many operations the phase has, all endpoints together. */
    int size(Phase phase) {
        return of(operations, phase).size();
    }

    /** The operations of the phase, each one for the next client who comes along. */
    Iterator<Delivery> deliveries(Phase phase) {
        Delivery.Patience patience = new Delivery.Patience(parameters.giveUpAfter(), parameters.deadline());
        Plan plan = parameters.plan(phase);
        return of(operations, phase).stream()
                .map(operation ->
                        new Delivery(operation, plan, patience, tally(phase, operation.endpoint()), System::nanoTime))
                .iterator();
    }

    Tally.Outcome outcome(Phase phase, Endpoint endpoint) {
        return tally(phase, endpoint).outcome();
    }

    private Tally tally(Phase phase, Endpoint endpoint) {
        return of(of(tallies, phase), endpoint);
    }

    private static <K, V> V of(Map<K, V> map, K key) {
        V value = map.get(key);
        if (value == null) {
            throw new IllegalStateException("key=" + key + " is missing");
        }
        return value;
    }
}
