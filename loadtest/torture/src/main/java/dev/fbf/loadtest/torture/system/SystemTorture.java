package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.torture.agent.Step;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import dev.fbf.loadtest.torture.pgwire.Interceptions;
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
        Duration recoveryBound = settings.millis("recovery-bound-millis");
        List<Step> steps = Step.in(settings.text("mode"));
        Map<Fault.Lane, Integer> faults = Schedule.counts(settings, LANES);
        List<Fault> without = without(settings);
        Duration length = settings.seconds("seconds");
        try (SystemUnderTorture system = new SystemUnderTorture(settings)) {
            without.addAll(faultsOfMissingDisks(system));
            Fleet fleet = Fleet.start(traffic, operations, system.history, system.front.port());
            new Torturer(system, fleet, steps).torture(new Schedule(operations.seed(), faults, length, without));
            system.heal();
            system.live(lives);
            fleet.awaitAcknowledged(wanted);
            fleet.finish(window.compareTo(LONGEST_END) < 0 ? window : LONGEST_END);
            system.awaitQuiet();
            Verdict verdict = new Verdict(operations, system.history);
            system.database.read(verdict);
            System.out.print(verdict.explanation());
            addFigures(system);
            Report report = system.report;
            report.failIf(
                    !report.isRecoveryPassed(recoveryBound),
                    "clients waited too long after a kill, or a life of the crash loop applied nothing");
            Map<String, String> servers = Map.of("postgres", system.postgres.version());
            return report.conclude(system.history, fleet, verdict, report.targets(recoveryBound), servers);
        }
    }

    private static void addFigures(SystemUnderTorture system) throws SQLException {
        Report report = system.report;
        for (Node node : system.nodes) {
            Interceptions interceptions = node.interceptions();
            for (Moment moment : Moment.values()) {
                report.add("batches seen", moment, interceptions.passed(moment));
            }
            interceptions.done().forEach((what, count) -> report.add("intercepted", what, count));
            interceptions.deliveries().forEach((what, count) -> report.add("delivered without client", what, count));
            for (String outcome : List.of("applied", "new")) {
                String line = ": settled as " + outcome + ".";
                report.add("in doubt, settled as", outcome, node.app().logged(each -> each.endsWith(line)));
            }
        }
        Database.Groups groups = system.database.groups();
        report.add("groups", "committed", groups.count());
        report.add("groups", "operations in them", groups.operations());
        report.add("groups", "of several operations", groups.ofSeveral());
        report.failIf(groups.ofSeveral() == 0, "no group had several operations");
        // faults that are aimed at a COMMIT which nobody recognizes would show nothing
        for (Moment moment : List.of(Moment.COMMIT, Moment.GROUP)) {
            report.failIf(
                    system.nodes.stream().allMatch(node -> node.interceptions().passed(moment) == 0),
                    "no " + moment + " came by");
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
                system.report.count(Report.MISSED, "a full disk: " + whyNone);
                return Stream.of(Fault.values()).filter(Fault::fillsDisk).toList();
            }
        }
        return List.of();
    }
}
