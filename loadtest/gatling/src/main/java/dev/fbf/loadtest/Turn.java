package dev.fbf.loadtest;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;

import com.sun.management.OperatingSystemMXBean;
import dev.fbf.loadtest.CapacityReport.Micros;
import dev.fbf.loadtest.CapacityReport.Round;
import dev.fbf.loadtest.Plan.Operation;
import io.gatling.javaapi.core.PopulationBuilder;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * As many users as are wanted send one operation after the other, without a pause: at first unmeasured, then measured. The
 * clock starts with the first of them.
 */
final class Turn {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(250);
    private static final OperatingSystemMXBean MACHINE =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final String name;
    private final Operations operations;
    private final SampleApp app;
    private final Database database;
    private final Duration leadIn;
    private final Duration measured;
    private final Tally before = new Tally();
    private final Tally during = new Tally();
    private final CompletableFuture<Measurement> measurement = new CompletableFuture<>();

    private boolean started;
    private volatile boolean measures;

    /** What was measured; see {@link Round}. */
    private record Measurement(Duration time, Micros used, double machineLoad, Map<String, Double> waits) {}

    Turn(String name, Operations operations, SampleApp app, Database database, Duration leadIn, Duration measured) {
        this.name = name;
        this.operations = operations;
        this.app = app;
        this.database = database;
        this.leadIn = leadIn;
        this.measured = measured;
    }

    /** The users. */
    PopulationBuilder of(int users) {
        return Sending.oneAfterTheOther(name, operations, this::goesOn, this::next)
                .injectOpen(atOnceUsers(users))
                .protocols(Sending.keptConnections(app.address()));
    }

    private boolean goesOn() {
        start();
        return !measurement.isDone();
    }

    private Delivery next() {
        Operation operation = operations.next();
        return operations.deliver(operation, measures ? during : before);
    }

    private synchronized void start() {
        if (!started) {
            started = true;
            Thread clock = new Thread(this::measure, "turn");
            clock.setDaemon(true);
            clock.start();
        }
    }

    private void measure() {
        try {
            Thread.sleep(leadIn.toMillis());
            ProcessHandle postgres = database.server().process();
            Map<String, Integer> waits = new TreeMap<>();
            Micros earlier = Micros.usedBy(app.process(), postgres);
            long begin = System.nanoTime();
            MACHINE.getCpuLoad(); // the next call tells about the time since this one
            measures = true;
            int looks = 0;
            while (System.nanoTime() - begin < measured.toNanos()) {
                database.waits().forEach((event, backends) -> waits.merge(event, backends, Integer::sum));
                looks++;
                Thread.sleep(BETWEEN_LOOKS.toMillis());
            }
            double machineLoad = MACHINE.getCpuLoad();
            Duration time = Duration.ofNanos(System.nanoTime() - begin);
            Micros used = Micros.usedBy(app.process(), postgres).minus(earlier);
            Map<String, Double> averages = new TreeMap<>();
            for (Map.Entry<String, Integer> wait : waits.entrySet()) {
                averages.put(wait.getKey(), (double) wait.getValue() / looks);
            }
            measurement.complete(new Measurement(time, used, machineLoad, averages));
        } catch (SQLException | InterruptedException | RuntimeException e) {
            measurement.completeExceptionally(e);
        }
    }

    private Measurement measurement() {
        if (!measurement.isDone()) {
            throw new IllegalStateException("nobody took this turn");
        }
        return Objects.requireNonNull(measurement.join());
    }

    /** What became of the operations that began while it was measured, and what they took. */
    Round round() {
        Tally.Outcome outcome = during.outcome();
        Measurement measured = measurement();
        return new Round(
                requestsPerSecond(),
                outcome.p50Millis(),
                outcome.p99Millis(),
                outcome.p999Millis(),
                measured.used().of(outcome.acknowledged()),
                1_000 * measured.used().sum() / measured.time().toNanos(),
                measured.machineLoad(),
                measured.waits());
    }

    /** Requests answered in a second. */
    double requestsPerSecond() {
        return during.outcome().acknowledged() * 1e9 / measurement().time().toNanos();
    }

    /** The distinct operations, those before it was measured too. */
    long operations() {
        return before.outcome().operations() + during.outcome().operations();
    }

    /** Of the operations that stayed unacknowledged, what is known about the first. */
    String failures() {
        return before.outcome()
                .firstFailure()
                .or(() -> during.outcome().firstFailure())
                .orElse("");
    }
}
