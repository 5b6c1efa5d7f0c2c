package dev.fbf.loadtest;

import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Clients at work on one page: the operations they have to send, and the tallies of what became of them. */
public final class Stage {

    private final String page;
    private final Plan plan;
    private final Delivery.Timeouts timeouts;
    private final List<Operation> operations;
    private final Map<Endpoint, Tally> tallies = new EnumMap<>(Endpoint.class);

    public Stage(String page, Plan plan, Delivery.Timeouts timeouts, List<Operation> operations) {
        this.page = page;
        this.plan = plan;
        this.timeouts = timeouts;
        this.operations = List.copyOf(operations);
        for (Endpoint endpoint : Endpoint.values()) {
            tallies.put(endpoint, new Tally());
        }
    }

    public String page() {
        return page;
    }

    Delivery.Timeouts timeouts() {
        return timeouts;
    }

    /** How many operations there are, all endpoints together. */
    public int size() {
        return operations.size();
    }

    /** The operations, each one for the next client who comes along. */
    Iterator<Delivery> deliveries() {
        return operations.stream()
                .map(operation ->
                        new Delivery(operation, plan, timeouts, tally(operation.endpoint()), System::nanoTime))
                .iterator();
    }

    public Tally.Outcome outcome(Endpoint endpoint) {
        return tally(endpoint).outcome();
    }

    private Tally tally(Endpoint endpoint) {
        return Objects.requireNonNull(tallies.get(endpoint), "endpoint");
    }
}
