package dev.fbf.loadtest;

import dev.fbf.loadtest.Plan.Operation;
import java.util.List;
import java.util.SplittableRandom;

/** Operations without end, on one page, that chance spreads evenly over endpoints. Safe for use by many threads. */
record Operations(String page, List<Endpoint> endpoints, Plan plan, SplittableRandom chance) {

    synchronized Operation next() {
        return plan.next(endpoints.get(chance.nextInt(endpoints.size())), chance);
    }

    /** Sends an operation; the tally counts what becomes of it. */
    Delivery deliver(Operation operation, Tally tally) {
        return new Delivery(operation, plan, tally, System::nanoTime);
    }
}
