package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.rampUsers;

import dev.fbf.loadtest.Plan.Operation;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** Clients at work on one page for a while: the operations they have to send, and the tallies of what became of them. */
final class Stage {

    private final String page;
    private final int size;
    private final Duration time;
    private final Plan plan;
    private final List<Operation> operations;
    private final Map<Endpoint, Tally> tallies = new EnumMap<>(Endpoint.class);

    /** Draws the operations. */
    Stage(String page, double rate, Duration time, Plan plan, SplittableRandom chance) {
        this.page = page;
        this.size = (int) Math.max(1, Math.round(rate * time.toMillis() / 1_000));
        this.time = time;
        this.plan = plan;
        this.operations = plan.draw(size, chance);
        for (Endpoint endpoint : Endpoint.values()) {
            tallies.put(endpoint, new Tally());
        }
    }

    String page() {
        return page;
    }

    /** How many operations there are for each endpoint. */
    int size() {
        return size;
    }

    /** A virtual user for each operation. */
    PopulationBuilder over(HttpProtocolBuilder protocol) {
        Iterator<Delivery> deliveries = operations.stream()
                .map(operation -> new Delivery(operation, plan, tally(operation.endpoint()), System::nanoTime))
                .iterator();
        return Sending.each(page, plan.hasty(), deliveries)
                .injectOpen(rampUsers(operations.size()).during(time))
                .protocols(protocol);
    }

    Tally.Outcome outcome(Endpoint endpoint) {
        return tally(endpoint).outcome();
    }

    private Tally tally(Endpoint endpoint) {
        return Objects.requireNonNull(tallies.get(endpoint), "endpoint");
    }
}
