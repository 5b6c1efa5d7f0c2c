package dev.fbf.loadtest.torture.system;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.cassandra.LaneReader;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.cassandra.CassandraCluster;
import dev.fbf.loadtest.harness.cassandra.Sessions;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.lanes.LaneApplication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Tortures counters on Cassandra. Fails if an operation was lost or doubled, or too few were acknowledged.
 */
public final class LaneTorture implements Run {

    /** Each operation adds to a counter that is its own, or to one of a few that are shared: none to a page. */
    private static final double NO_PAGES = 1 - 1e-12;

    /** The filters are planned for one in a billion. */
    private static final double EXPECTED_FALSE_POSITIVES = 1e-3;

    private static final Duration RESPONSE = Duration.ofSeconds(6);
    private static final int ROWS_IN_A_PAGE = 500;
    private static final Duration STALL = Duration.ofMinutes(1);

    @Override
    public Findings run(Settings settings) throws Exception {
        if (CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is tortured.");
            return Findings.NONE;
        }
        Operations operations = new Operations(settings.integer("seed"), 1, NO_PAGES);
        Duration window = settings.seconds("window-seconds");
        Traffic traffic = new Traffic(settings.atLeastOne("clients"), settings.positive("rate"), RESPONSE, window);
        long wanted = settings.integer("operations");
        try (LaneSystem system = LaneSystem.start(settings)) {
            Fleet fleet = Fleet.start(
                    traffic, operations, system.history(), system.front().port());
            LaneFaults faults = new LaneFaults(system);
            faults.run(settings);
            system.heal();
            for (int i = 0; i < settings.count("replacements"); i++) {
                system.replace(
                        1 + i % (system.cluster().nodes().size() - 1)); // the first is a seed: it would get nothing
            }
            fleet.awaitAcknowledged(wanted);
            fleet.finish(window);
            Verdict verdict = new Verdict(operations, system.history(), EXPECTED_FALSE_POSITIVES);
            readAll(system.cluster()).forEach(row -> judge(verdict, row.getString("name"), row.getLong("value")));
            verdict.conclude();
            System.out.print(verdict.explanation());
            return findings(system, faults, fleet, verdict, wanted);
        }
    }

    /**
     * Reads the counters and the groups of the window by a quorum, and so makes the replicas that respond equal; tries as long as they take
     * each other for dead.
     *
     * @return the counters' shares
     */
    static List<Row> readAll(CassandraCluster cluster) throws InterruptedException {
        SimpleStatement shares = SimpleStatement.newInstance(
                        "SELECT name, value FROM fbf_lane WHERE scope = ? AND lane = 0 AND kind = 0",
                        LaneApplication.SCOPE)
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setPageSize(ROWS_IN_A_PAGE);
        List<Row> rows = new ArrayList<>();
        List<DriverException> failures = new ArrayList<>();
        boolean isRead = Waiting.until(
                () -> {
                    rows.clear();
                    try (CqlSession session =
                            Sessions.direct(cluster.nodes().get(0).address(), LaneApplication.KEYSPACE)) {
                        session.execute(shares).forEach(rows::add);
                        LaneReader.readWindow(session, LaneApplication.SCOPE, 0);
                        return true;
                    } catch (DriverException e) {
                        failures.add(e);
                        return false;
                    }
                },
                STALL);
        if (!isRead) {
            throw new IllegalStateException(
                    "the table cannot be read within " + STALL, failures.get(failures.size() - 1));
        }
        return rows;
    }

    static void create(CassandraCluster cluster) {
        try (CqlSession session = Sessions.direct(cluster.nodes().get(0).address(), null)) {
            session.execute("CREATE KEYSPACE " + LaneApplication.KEYSPACE
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': "
                    + cluster.nodes().size() + "}");
            session.execute("USE " + LaneApplication.KEYSPACE);
            LaneSchema.create(session);
        }
    }

    /** The value of a counter is the number of its operations that were applied. */
    private static void judge(Verdict verdict, String counter, long value) {
        if (counter.startsWith("op-") || Operations.isShared(counter)) {
            for (long i = 0; i < value; i++) {
                verdict.applied(counter.substring(counter.indexOf('-') + 1), counter);
            }
            verdict.value(counter, value);
        }
    }

    private static Findings findings(LaneSystem system, LaneFaults faults, Fleet fleet, Verdict verdict, long wanted) {
        long lost = verdict.total().lost();
        long doubled = verdict.total().doubled();
        Sheet sheet = new Sheet();
        sheet.add("acknowledged", "operations acknowledged", fleet.acknowledged());
        sheet.add("requests", "requests", system.history().requests());
        sheet.add("abandoned", "operations given up", fleet.abandoned());
        sheet.json("faults", faults.happened());
        faults.happened().forEach((fault, count) -> sheet.line("  " + fault, count));
        sheet.add("responsesLost", "responses lost", system.responsesLost());
        sheet.add("lost", "operations lost", lost);
        sheet.add("doubled", "operations doubled", doubled);
        List<Double> back = system.backAtWork();
        if (!back.isEmpty()) {
            sheet.add(
                    "backAtWork",
                    "seconds from a quorum's return to an applied operation, median",
                    Rounds.median(back));
            sheet.add("backAtWorkMost", "the same, longest", Collections.max(back));
        }
        List<Target> targets = List.of(
                Target.atMost("operations lost", 0, (double) lost),
                Target.atMost("operations doubled", 0, (double) doubled),
                Target.atLeast("operations acknowledged", (double) wanted, (double) fleet.acknowledged()));
        List<String> failures = new ArrayList<>();
        if (!verdict.passed()) {
            failures.add(lost + " operations were lost, " + doubled + " doubled");
        }
        if (fleet.acknowledged() < wanted) {
            failures.add(fleet.acknowledged() + " operations were acknowledged, and " + wanted + " were wanted");
        }
        return new Findings(sheet.json(), sheet.table(), targets, failures, Map.of("Cassandra", "Cassandra 5"));
    }
}
