package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.rampUsers;

import dev.fbf.loadtest.Plan.Operation;
import dev.fbf.loadtest.Report.Count;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Operations of clients on one page, and the tallies of their requests. */
final class Stage {

    private final String page;
    private final Duration time;
    private final Plan plan;

    /** The operations of each endpoint. */
    private final int size;

    private final List<Operation> operations;
    private final Map<Endpoint, Tally> tallies = new EnumMap<>(Endpoint.class);

    /** Draws the operations: as many per second as the rate, one at least. */
    Stage(String page, double rate, Duration time, Plan plan, SplittableRandom chance) {
        this.page = page;
        this.time = time;
        this.plan = plan;
        size = (int) Math.max(1, Math.round(rate * time.toMillis() / 1_000));
        operations = plan.draw(size, chance);
    }

    /** A virtual user per operation. */
    PopulationBuilder over(HttpProtocolBuilder protocol) {
        return Sending.each(
                        page,
                        plan.hasty(),
                        operations.stream()
                                .map(operation ->
                                        new Delivery(operation, plan, tally(operation.endpoint()), System::nanoTime))
                                .iterator())
                .injectOpen(rampUsers(operations.size()).during(time))
                .protocols(protocol);
    }

    private synchronized Tally tally(Endpoint endpoint) {
        return tallies.computeIfAbsent(endpoint, none -> new Tally());
    }

    /** Counts of clients and of the database, side by side. */
    Report.Row row(double loss, Duration delay, Database database) throws SQLException {
        Map<Endpoint, Count> counts = new EnumMap<>(Endpoint.class);
        for (Endpoint endpoint : Endpoint.values()) {
            counts.put(
                    endpoint,
                    new Count(
                            size,
                            database.counter(endpoint, page),
                            tally(endpoint).outcome()));
        }
        return new Report.Row(page, loss, delay.toMillis(), counts);
    }
}
