package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.constantUsersPerSec;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import io.gatling.javaapi.core.OpenInjectionStep;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Measures the capacity, then loads the app with a part of it for a long time, in turn with next to nothing. Fails if a counter
 * drifted, or the filters did not move or were mistaken too often. Does nothing if it is to take no time.
 */
public final class SoakTest implements Run {

    /*
     * Connections are kept although responses are lost: Gatling may then resend a request by itself, which no counter here minds.
     * What is compared is operations and counters, not requests.
     */

    private static final List<Endpoint> ENDPOINTS = List.of(Endpoint.GUARDED, Endpoint.GROUPED);

    /** The heap is resident from the beginning, so that all that rises later is something else. */
    private static final List<String> HEAP = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");

    @Override
    public Findings run(Settings settings) throws Exception {
        if (settings.text("minutes").equals("0")) {
            return Findings.NONE;
        }
        SoakParameters parameters = SoakParameters.from(settings);
        // no attempt begins after the window: it would be counted as another operation, rightly
        Plan plan =
                new Plan(settings.share("retries"), 2, 0, 0, 1_000, parameters.retryWindow(), parameters.retryWindow());
        return new Soak(settings, parameters, plan, new SplittableRandom(settings.integer("seed"))).run();
    }

    private record Soak(Settings settings, SoakParameters parameters, Plan plan, SplittableRandom chance) {

        Findings run() throws IOException, InterruptedException, SQLException {
            try (Database database = Database.start(settings)) {
                double capacity = capacity(database);
                // the capacity is one of requests, some of which are retries
                double high = settings.share("share") * capacity / (1 + plan.retries());
                SoakReport.Rates rates = new SoakReport.Rates(
                        capacity,
                        high,
                        settings.share("quiet-share") * high,
                        Math.max(1, Math.rint(settings.share("planned-share") * high / ENDPOINTS.size())));
                try (SampleApp app = start(
                        database,
                        "fbf.retry-window=" + parameters.retryWindow().toMillis() + "ms",
                        "fbf.expected-operations-per-second=" + rates.planned(),
                        "management.endpoints.web.exposure.include=health,fbf,metrics")) {
                    return soak(app, database, rates);
                }
            }
        }

        private double capacity(Database database) throws IOException, InterruptedException, SQLException {
            double capacity;
            try (SampleApp app = start(database)) {
                Turn turn = new Turn(
                        "capacity",
                        operations("soak-capacity"),
                        app,
                        database,
                        settings.seconds("lead-in-seconds"),
                        settings.seconds("capacity-seconds"));
                GatlingRun.of(() -> List.of(turn.of(settings.atLeastOne("users"))), settings);
                capacity = turn.requestsPerSecond();
            }
            database.forgetNodes(); // the application that is measured next has files of its own
            return capacity;
        }

        private SampleApp start(Database database, String... properties) throws IOException, InterruptedException {
            String[] all = Stream.concat(HEAP.stream(), Stream.of(properties)).toArray(String[]::new);
            return SampleApp.start(settings, database, all);
        }

        private Operations operations(String page) {
            return new Operations(page, ENDPOINTS, plan, chance.split());
        }

        private Findings soak(SampleApp app, Database database, SoakReport.Rates rates)
                throws IOException, InterruptedException, SQLException {
            Operations operations = operations("soak");
            SoakTraffic traffic = new SoakTraffic(operations);
            AppWatch watch = new AppWatch(app.address(), app.process(), "page-views", "counters");
            Sampler sampler = new Sampler(parameters, watch, traffic);
            sampler.start();
            GatlingRun.of(() -> List.of(load(app.address(), operations, traffic, rates)), settings);
            List<Sample> samples = sampler.end();
            database.awaitIdle();

            Map<Endpoint, SoakReport.Count> counts = new EnumMap<>(Endpoint.class);
            for (Endpoint endpoint : ENDPOINTS) {
                long counter = database.counter(endpoint, operations.page());
                counts.put(
                        endpoint,
                        new SoakReport.Count(
                                traffic.acknowledged(endpoint), traffic.unacknowledged(endpoint), counter));
            }
            Map<String, SoakReport.Filter> filters = new LinkedHashMap<>();
            watch.filters().forEach((scope, filter) -> filters.put(scope, filter.filter()));
            SoakReport report = SoakReport.of(
                    parameters, rates, counts, filters, samples, sampler.missed(), traffic.firstFailure());
            Files.writeString(
                    settings.results().resolve("loadtest-soak.csv"),
                    Sample.table(samples).csv());
            return new Findings(
                    report, report.table(parameters, samples), List.of(), report.complaints(), database.servers());
        }

        private PopulationBuilder load(URI app, Operations operations, SoakTraffic traffic, SoakReport.Rates rates) {
            List<OpenInjectionStep> steps = new ArrayList<>();
            Duration left = parameters.duration();
            for (boolean loud = true; !left.isZero(); loud = !loud) {
                Duration wanted = loud ? parameters.loud() : parameters.quiet();
                Duration step = wanted.compareTo(left) < 0 ? wanted : left;
                steps.add(constantUsersPerSec(loud ? rates.high() : rates.low()).during(step));
                left = left.minus(step);
            }
            PopulationBuilder users = Sending.each(operations.page(), plan.hasty(), traffic)
                    .injectOpen(steps.toArray(OpenInjectionStep[]::new))
                    .protocols(Sending.keptConnections(app));
            return Sending.faultsOn(
                            app, settings.share("loss"), parameters.duration().plusMinutes(5))
                    .andThen(users.andThen(Sending.faultsOff(app)));
        }
    }
}
