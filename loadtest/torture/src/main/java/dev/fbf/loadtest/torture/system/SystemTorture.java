package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.Waiting;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Tortures the whole system, and prints what went wrong with the history of each operation. Fails if an operation was lost or
 * doubled, none was acknowledged, no group had several, or clients had to wait too long after a kill.
 */
public final class SystemTorture implements Run {

    private static final Duration ANSWER = Duration.ofSeconds(6);
    private static final Duration LONGEST_END = Duration.ofMinutes(2);

    private static final Duration STALL = Duration.ofMinutes(1);

    private final SystemReport report = new SystemReport();

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        Parameters parameters = Parameters.from(settings);
        String version;
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
            new Torturer(system, fleet, parameters, history, report).torture(schedule(parameters, system.nodes()));
            system.heal(history, report);
            new CrashLoop(system, history, report).live(parameters.lives());
            awaitOperations(fleet, parameters.operations());
            fleet.finish(shorter(parameters.window(), LONGEST_END));
            system.awaitQuiet();
            if (parameters.faults().getOrDefault(Fault.Lane.LOAD, 0) > 0) {
                awaitShrinking(system.nodes(), parameters.window());
            }
            watch.finish();
            Verdict verdict =
                    new Verdict(operations, history, expectedFalsePositives(parameters.mode(), system.nodes()));
            Tables tables = new Tables(system.postgres());
            tables.read(verdict);
            report.count(system.nodes());
            report.conclude(parameters, history, fleet, verdict, tables.groups());
            System.out.print(verdict.explanation());
            version = system.postgres().version();
        }
        Sheet sheet = report.sheet();
        return new Findings(
                sheet.json(),
                sheet.table(),
                report.targets(parameters.recoveryBound()),
                report.failures(),
                Map.of("postgres", version));
    }

    /** Waits for as many as there are to be, or until none has come for a while. */
    private static void awaitOperations(Fleet fleet, long wanted) throws InterruptedException {
        boolean goesOn = true;
        while (goesOn && fleet.acknowledged() < wanted) {
            long before = fleet.acknowledged();
            goesOn = Waiting.until(() -> fleet.acknowledged() > before, STALL);
        }
    }

    /** A filter that grew in a surge shrinks after a whole window with little load: no fault may have left it that. */
    private static void awaitShrinking(List<Node> nodes, Duration window) throws InterruptedException {
        if (nodes.stream().anyMatch(node -> node.tally().larger() > 0)) {
            Waiting.until(() -> nodes.stream().anyMatch(node -> node.tally().smaller() > 0), window.multipliedBy(3));
        }
    }

    /** With a ledger none: it is asked before the filter is believed. */
    private double expectedFalsePositives(String mode, List<Node> nodes) {
        return mode.equals("ledger")
                ? 0
                : nodes.stream()
                        .mapToDouble(node -> node.tally().expectedFalsePositives())
                        .sum();
    }

    private Schedule schedule(Parameters parameters, List<Node> nodes) {
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

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
