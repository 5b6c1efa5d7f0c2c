package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.agent.Step;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.Operations;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tortures the whole system, and prints what went wrong with the history of each operation. Fails if an operation was lost or
 * doubled, none was acknowledged, no group had several, or clients had to wait too long after a kill.
 */
public final class SystemTorture implements Run {

    private static final Set<Fault.Lane> LANES = EnumSet.range(Fault.Lane.APP, Fault.Lane.LOAD);
    private static final Duration ANSWER = Duration.ofSeconds(6);
    private static final Duration LONGEST_END = Duration.ofMinutes(2);

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        // all settings that are needed late are read now: a wrong one fails the run before it begins
        Operations operations =
                new Operations(settings.integer("seed"), settings.atLeastOne("counters"), settings.share("grouped"));
        Duration window = settings.seconds("window-seconds");
        Traffic traffic = new Traffic(settings.atLeastOne("clients"), settings.positive("rate"), ANSWER, window);
        long wanted = settings.integer("operations");
        int lives = settings.count("lives");
        boolean isLedger = settings.text("mode").equals("ledger");
        Duration recoveryBound = settings.millis("recovery-bound-millis");
        List<Step> steps = Step.in(settings.text("mode"));
        Map<Fault.Lane, Integer> faults = Schedule.counts(settings, LANES);
        List<Fault> without = without(settings);
        Duration length = settings.seconds("seconds");
        try (SystemUnderTorture system = new SystemUnderTorture(settings)) {
            without.addAll(faultsOfMissingDisks(system));
            Fleet fleet = Fleet.start(traffic, operations, system.history, system.front.port());
            FilterWatch watch = FilterWatch.start(system.nodes, fleet);
            new Torturer(system, fleet, steps).torture(new Schedule(operations.seed(), faults, length, without));
            system.heal();
            system.live(lives);
            fleet.awaitAcknowledged(wanted);
            fleet.finish(window.compareTo(LONGEST_END) < 0 ? window : LONGEST_END);
            system.awaitQuiet();
            if (faults.getOrDefault(Fault.Lane.LOAD, 0) > 0) {
                awaitShrinking(system.nodes, window);
            }
            watch.finish();
            double expectedFalsePositives = isLedger ? 0 : expectedFalsePositives(system.nodes);
            Verdict verdict = new Verdict(operations, system.history, expectedFalsePositives);
            system.database.read(verdict);
            System.out.print(verdict.explanation());
            return system.report.conclude(recoveryBound, system, fleet, verdict, system.database.groups());
        }
    }

    private static List<Fault> without(Settings settings) {
        List<Fault> without = new ArrayList<>();
        for (String name : settings.words("without")) {
            without.add(Fault.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')));
        }
        return without;
    }

    private static List<Fault> faultsOfMissingDisks(SystemUnderTorture system) {
        for (Node node : system.nodes) {
            String whyNone = node.disk().whyNone();
            if (whyNone != null) {
                system.report.missed("a full disk: " + whyNone);
                return Stream.of(Fault.values()).filter(Fault::fillsDisk).toList();
            }
        }
        return List.of();
    }

    /** A filter that grew in a surge shrinks after a whole window with little load: no fault may have left it that. */
    private static void awaitShrinking(List<Node> nodes, Duration window) throws InterruptedException {
        if (nodes.stream().anyMatch(node -> node.tally().grown() > 0)) {
            Waiting.until(() -> nodes.stream().anyMatch(node -> node.tally().shrunk() > 0), window.multipliedBy(3));
        }
    }

    /** Of a filter that is believed: with a ledger it is not. */
    private static double expectedFalsePositives(List<Node> nodes) {
        return nodes.stream()
                .mapToDouble(node -> node.tally().expectedFalsePositives())
                .sum();
    }
}
