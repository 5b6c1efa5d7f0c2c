package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.rampUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import dev.fbf.loadtest.Delivery.Plan;
import dev.fbf.loadtest.Report.Count;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;

/** Operations of clients on one page, over a network of its own, and the tallies of their requests. */
final class Stage implements AutoCloseable {

    private final String page;
    private final double loss;
    private final Duration delay;
    private final TcpProxy network;
    private final Duration time;
    private final Plan plan;

    /** The operations of each endpoint. */
    private final int size;

    private final List<Endpoint> endpoints = Arrays.asList(Endpoint.values());
    private final Map<Endpoint, Tally> tallies = new EnumMap<>(Endpoint.class);
    private final SplittableRandom chance;
    private int begun;
    private long same;

    /**
     * Opens the network, over which as many operations per second begin as the rate, one at least.
     *
     * @param loss the share of responses that it loses
     * @param delay by which it delays a request, and a response, on average
     * @param port of the application
     */
    Stage(
            String page,
            double loss,
            Duration delay,
            int port,
            Plan plan,
            double rate,
            Duration time,
            SplittableRandom chance)
            throws IOException {
        this.page = page;
        this.loss = loss;
        this.delay = delay;
        this.plan = plan;
        this.time = time;
        size = (int) Math.max(1, Math.round(rate * time.toMillis() / 1_000));
        network = TcpProxy.open(page, List.of(port), () -> Relay.PLAIN);
        network.loseResponses(loss, chance.nextLong());
        network.delayEachChunkAtRandom(delay, chance.nextLong());
        this.chance = chance;
        endpoints.forEach(endpoint -> tallies.put(endpoint, new Tally()));
    }

    double loss() {
        return loss;
    }

    /** A virtual user per operation. */
    PopulationBuilder load() {
        return scenario(page)
                .exec(Sending.untilAcknowledged(page, plan.hasty(), this::next))
                .injectOpen(rampUsers(size * endpoints.size()).during(time))
                .protocols(Sending.newConnections(network.port()));
    }

    /** Each endpoint gets the same operations, side by side, and chance decides which goes first: so none has to run in another's wake. */
    private synchronized Delivery next() {
        if (begun % endpoints.size() == 0) {
            Collections.shuffle(endpoints, new Random(chance.nextLong()));
            same = chance.nextLong();
        }
        Endpoint endpoint = endpoints.get(begun % endpoints.size());
        begun++;
        return new Delivery(endpoint, plan, new SplittableRandom(same), tally(endpoint), System::nanoTime);
    }

    private Tally tally(Endpoint endpoint) {
        return Objects.requireNonNull(tallies.get(endpoint), "endpoint");
    }

    /** Counts of clients and of the database, side by side. */
    Report.Row row(Database database) throws SQLException {
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

    @Override
    public void close() throws IOException {
        network.close();
    }
}
