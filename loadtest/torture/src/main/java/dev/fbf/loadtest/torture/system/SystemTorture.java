package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.client.Traffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Tortures the whole system, writes the JSON, prints what went wrong with the history of each operation, and the table last. */
public final class SystemTorture {

    private static final Duration ANSWER = Duration.ofSeconds(6);
    private static final Duration LONGEST_END = Duration.ofMinutes(2);

    private static final Duration STALL = Duration.ofMinutes(1);

    private final Parameters parameters;
    private final SystemReport report = new SystemReport();

    private SystemTorture(Parameters parameters) {
        this.parameters = parameters;
    }

    /**
     * Exits with 1 if an operation was lost or doubled, none was acknowledged, no group had several, or clients had to wait too
     * long after a kill.
     */
    public static void main(String[] args) throws IOException, InterruptedException, SQLException {
        SystemTorture torture = new SystemTorture(Parameters.ofSystemProperties());
        torture.run();
        System.exit(torture.report.passed() ? 0 : 1);
    }

    private void run() throws IOException, InterruptedException, SQLException {
        RunDirectory.empty(parameters.directory());
        Operations operations = new Operations(parameters.seed(), parameters.counters(), parameters.grouped());
        History history = new History();
        try (SystemUnderTorture system = SystemUnderTorture.start(parameters, history, report)) {
            Fleet fleet = Fleet.start(
                    new Traffic(parameters.clients(), parameters.rate(), ANSWER, parameters.window()),
                    operations,
                    history,
                    system.front().port());
            FilterWatch watch = FilterWatch.start(system.nodes(), fleet);
            new Torturer(system, fleet, parameters, history, report).torture(schedule(system.nodes()));
            system.heal(history, report);
            new CrashLoop(system, history, report).live(parameters.lives());
            awaitOperations(fleet);
            fleet.finish(shorter(parameters.window(), LONGEST_END));
            system.awaitQuiet();
            awaitShrinking(system.nodes());
            watch.finish();
            Verdict verdict = new Verdict(operations, history, expectedFalsePositives(system.nodes()));
            Tables tables = new Tables(system.postgres());
            tables.read(verdict);
            report.count(system.nodes());
            report.conclude(parameters, history, fleet, verdict, tables.groups());
            System.out.print(verdict.explanation());
        }
        write();
    }

    /** Waits for as many as there are to be, or until none has come for a while. */
    private void awaitOperations(Fleet fleet) throws InterruptedException {
        long before = -1;
        for (long now = fleet.acknowledged();
                now < parameters.operations() && now > before;
                now = fleet.acknowledged()) {
            before = now;
            long deadline = System.nanoTime() + STALL.toNanos();
            while (fleet.acknowledged() == before && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    /** A filter shrinks when it has run for a whole window at little load, or none: the faults may not have let any do. */
    private void awaitShrinking(List<Node> nodes) throws InterruptedException {
        long deadline = System.nanoTime() + parameters.window().multipliedBy(3).toNanos();
        while (nodes.stream().noneMatch(node -> node.tally().smaller() > 0) && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** With a ledger none: it is asked before the filter is believed. */
    private double expectedFalsePositives(List<Node> nodes) {
        return parameters.mode().equals("ledger")
                ? 0
                : nodes.stream()
                        .mapToDouble(node -> node.tally().expectedFalsePositives())
                        .sum();
    }

    private Schedule schedule(List<Node> nodes) {
        List<Fault> without = new ArrayList<>(parameters.without());
        if (parameters.steps().isEmpty()) {
            without.add(Fault.KILL_AT_STEP);
        }
        for (Node node : nodes) {
            String whyNone = node.disk().whyNone();
            if (whyNone != null) {
                report.missed("a full disk: " + whyNone);
                Stream.of(Fault.values()).filter(Fault::fillsDisk).forEach(without::add);
            }
        }
        return new Schedule(parameters.seed(), parameters.faults(), parameters.length(), without);
    }

    private void write() throws IOException {
        Path json = parameters.result().toAbsolutePath();
        Files.createDirectories(json.getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report.json()));
        System.out.print(report.table());
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
