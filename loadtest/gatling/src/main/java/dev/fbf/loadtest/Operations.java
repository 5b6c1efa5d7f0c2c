package dev.fbf.loadtest;

import java.util.List;
import java.util.SplittableRandom;

/** Operations without end, on one page, that chance spreads evenly over endpoints. Safe for use by many threads. */
public final class Operations {

    private final String page;
    private final List<Endpoint> endpoints;
    private final Plan plan;
    private final Delivery.Timeouts timeouts;
    private final SplittableRandom chance;

    public Operations(
            String page, List<Endpoint> endpoints, Plan plan, Delivery.Timeouts timeouts, SplittableRandom chance) {
        this.page = page;
        this.endpoints = List.copyOf(endpoints);
        this.plan = plan;
        this.timeouts = timeouts;
        this.chance = chance;
    }

    public String page() {
        return page;
    }

    public List<Endpoint> endpoints() {
        return endpoints;
    }

    public Delivery.Timeouts timeouts() {
        return timeouts;
    }

    public synchronized Operation next() {
        return Operation.next(endpoints.get(chance.nextInt(endpoints.size())), plan, chance);
    }

    /**
     * Sends an operation.
     *
     * @param tally counts what becomes of it
     */
    public Delivery deliver(Operation operation, Tally tally) {
        return new Delivery(operation, plan, timeouts, tally, System::nanoTime);
    }
}
