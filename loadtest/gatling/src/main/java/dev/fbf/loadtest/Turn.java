package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.asLongAs;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.scenario;

import dev.fbf.loadtest.CapacityTest.Contender;
import dev.fbf.loadtest.Delivery.Plan;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.process.Waiting;
import io.gatling.javaapi.core.PopulationBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Users that send one operation after the other, without a pause: at first unmeasured, then measured. The clock starts with the
 * first of them.
 */
final class Turn {

    private final int number;
    private final Contender contender;
    private final Plan plan;
    private final SplittableRandom chance;
    private final SampleApp app;
    private final Database database;
    private final Duration leadIn;
    private final Duration measured;
    private final Tally before = new Tally();
    private final Tally during = new Tally();
    private final CompletableFuture<Map<String, Double>> measurement = new CompletableFuture<>();

    private boolean started;
    private volatile boolean measures;

    Turn(
            int number,
            Contender contender,
            Plan plan,
            SplittableRandom chance,
            SampleApp app,
            Database database,
            Settings settings) {
        this.number = number;
        this.contender = contender;
        this.plan = plan;
        this.chance = chance;
        this.app = app;
        this.database = database;
        leadIn = settings.seconds("lead-in-seconds");
        measured = settings.seconds("seconds");
    }

    Contender contender() {
        return contender;
    }

    PopulationBuilder of(int users) {
        return scenario(number + ": " + contender)
                .exec(asLongAs(session -> isUnderway())
                        .on(Sending.untilAcknowledged(contender.page(), plan.hasty(), this::next)))
                .injectOpen(atOnceUsers(users))
                .protocols(Sending.keptConnections(app.port()));
    }

    private synchronized boolean isUnderway() {
        if (!started) {
            started = true;
            Thread clock = new Thread(this::measure, "turn");
            clock.setDaemon(true);
            clock.start();
        }
        return !measurement.isDone();
    }

    private synchronized Delivery next() {
        Tally tally = measures ? during : before;
        return new Delivery(contender.endpoint(), plan, chance.split(), tally, System::nanoTime);
    }

    private void measure() {
        try {
            Waiting.sleep(leadIn);
            Map<String, Double> earlier = processorMicros();
            long begin = System.nanoTime();
            measures = true;
            Waiting.sleep(measured);
            Map<String, Double> figures = new TreeMap<>(processorMicros());
            earlier.forEach((process, micros) -> figures.merge(process, -micros, Double::sum));
            figures.put("seconds", (System.nanoTime() - begin) / 1e9);
            measurement.complete(figures);
        } catch (InterruptedException | RuntimeException e) {
            measurement.completeExceptionally(e);
        }
    }

    /** Processor time of this process, which loads the app, of the app, and of PostgreSQL with all its processes. */
    private Map<String, Double> processorMicros() {
        ProcessHandle postgres = database.server().process();
        return Map.of(
                "gatling", micros(Stream.of(ProcessHandle.current())),
                "app", micros(Stream.of(app.process())),
                "postgres", micros(Stream.concat(Stream.of(postgres), postgres.children())));
    }

    /** A process that has ended counts as zero. */
    private static double micros(Stream<ProcessHandle> processes) {
        return processes
                .mapToDouble(process ->
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e3)
                .sum();
    }

    /** Returns the figures of a finished turn, by name: requests per second, response times, and processor time per request. */
    Map<String, Double> figures() {
        if (!measurement.isDone()) {
            throw new IllegalStateException("contender=" + contender + ": no user took this turn");
        }
        Map<String, Double> figures = new TreeMap<>(measurement.join());
        Tally.Outcome outcome = during.outcome();
        double requests = Math.max(1, outcome.acknowledged());
        figures.replaceAll((name, figure) -> name.equals("seconds") ? figure : figure / requests);
        figures.put("requestsPerSecond", outcome.acknowledged() / figures.getOrDefault("seconds", 0.0));
        figures.put("p50Millis", outcome.p50Millis());
        figures.put("p99Millis", outcome.p99Millis());
        figures.put("p999Millis", outcome.p999Millis());
        return figures;
    }

    /** The distinct operations, the unmeasured ones too. */
    long operations() {
        return before.outcome().operations() + during.outcome().operations();
    }

    Stream<String> failures() {
        return Stream.of(before, during).flatMap(tally -> tally.outcome().firstFailure().stream());
    }
}
