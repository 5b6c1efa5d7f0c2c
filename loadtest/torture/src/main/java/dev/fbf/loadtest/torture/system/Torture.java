package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.situations.Situation;
import dev.fbf.process.cassandra.CassandraCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Tortures a whole system, and prints what went wrong with the history of each operation. Fails if an operation was lost or
 * doubled, was neither acknowledged nor given up, or too few were acknowledged.
 */
public final class Torture implements Run {

    private static final Set<Fault.Lane> OF_SQL = EnumSet.range(Fault.Lane.APP, Fault.Lane.LOAD);
    private static final Set<Fault.Lane> OF_CASSANDRA =
            EnumSet.of(Fault.Lane.APP, Fault.Lane.CASSANDRA, Fault.Lane.CASSANDRA_NETWORK);

    private static final Duration RESPONSE = Duration.ofSeconds(6);
    private static final Duration LONGEST_END = Duration.ofMinutes(2);

    @Override
    public Findings run(Settings settings) throws Exception {
        boolean onCassandra = settings.text("database").equals("cassandra");
        if (onCassandra && CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is tortured.");
            return Findings.NONE;
        }
        // all settings that are needed late are read now: a wrong one fails the run before it begins
        boolean inSituations = settings.flag("situations");
        int pages = inSituations ? Situation.values().length : settings.atLeastOne("counters");
        Operations operations = new Operations(settings.integer("seed"), pages, settings.share("grouped"));
        Duration window = settings.seconds("window-seconds");
        Traffic traffic = new Traffic(
                settings.atLeastOne("clients"),
                settings.positive("rate"),
                RESPONSE,
                window,
                settings.atLeastOne("unfinished"));
        double wanted = settings.count("operations");
        Set<Fault.Lane> lanes = onCassandra ? OF_CASSANDRA : OF_SQL;
        History history = new History();
        Report report = new Report();
        try (SystemUnderTorture system = onCassandra
                ? new CassandraSystem(settings, history, report)
                : new SqlSystem(settings, history, report)) {
            Schedule schedule = new Schedule(settings, lanes);
            Fleet fleet = Fleet.start(traffic, operations, history, system.port());
            schedule.run(history, event -> system.happen(event, fleet));
            system.heal();
            fleet.awaitAcknowledged((long) wanted);
            report.failIf(
                    !fleet.finish(window.compareTo(LONGEST_END) < 0 ? window : LONGEST_END),
                    "operations were neither acknowledged nor given up");
            LongFunction<String> kind = inSituations
                    ? operation -> Situation.of(operations.counter(operation)).title()
                    : operation -> operations.target(operation).toString();
            Verdict verdict = new Verdict(operations, history, kind);
            system.read(verdict);
            System.out.print(verdict.explanation());
            for (Situation situation : inSituations ? Situation.values() : new Situation[0]) {
                report.failIf(!verdict.tallies.containsKey(situation.title()), "none " + situation.title());
            }
            List<Target> targets = new ArrayList<>(system.targets());
            targets.add(Target.atLeast("operations acknowledged", wanted, (double) fleet.acknowledged()));
            report.failIf(fleet.acknowledged() < wanted, "too few operations were acknowledged");
            return report.conclude(history, fleet, verdict, targets, system.servers());
        }
    }
}
