package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.cassandra.CassandraCluster;
import dev.fbf.loadtest.harness.cassandra.CassandraNode;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.Operations;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;

/** Tortures counters on Cassandra. Fails if an operation was lost or doubled, or too few were acknowledged. */
public final class LaneTorture implements Run {

    private static final Set<Fault.Lane> LANES =
            EnumSet.of(Fault.Lane.APP, Fault.Lane.CASSANDRA, Fault.Lane.CASSANDRA_NETWORK);

    /** Of the application's own lane, all but a kill need PostgreSQL or an agent. */
    private static final List<Fault> OF_POSTGRES =
            List.of(Fault.KILL_APP_IN_COMMIT, Fault.KILL_AT_STEP, Fault.KILL_APP_ON_FULL_DISK, Fault.KILL_APP_IN_GROUP);

    /** Each operation adds to a counter that is its own, or to one of a few that are shared: none to a page. */
    private static final double NO_PAGES = 1 - 1e-12;

    /** The filters are planned for one in a billion. */
    private static final double EXPECTED_FALSE_POSITIVES = 1e-3;

    private static final Duration RESPONSE = Duration.ofSeconds(6);
    private static final int SHORT_MILLIS = 300;
    private static final int LONG_MILLIS = 4_000;

    private final Map<Fault, Integer> happened = new ConcurrentSkipListMap<>();

    @Override
    public Findings run(Settings settings) throws Exception {
        if (CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is tortured.");
            return Findings.NONE;
        }
        Operations operations = new Operations(settings.integer("seed"), 1, NO_PAGES);
        Duration window = settings.seconds("window-seconds");
        Traffic traffic = new Traffic(settings.atLeastOne("clients"), settings.positive("rate"), RESPONSE, window);
        Schedule schedule = new Schedule(
                operations.seed(), Schedule.counts(settings, LANES), settings.seconds("seconds"), OF_POSTGRES);
        long wanted = settings.integer("operations");
        try (LaneSystem system = LaneSystem.start(settings)) {
            Fleet fleet = Fleet.start(traffic, operations, system.history, system.front.port());
            schedule.run(system.history, event -> happen(event, system));
            system.heal();
            for (int i = 0; i < settings.count("replacements"); i++) {
                // the first is a seed: it would get nothing
                system.replace(1 + i % (system.cluster.nodes().size() - 1));
            }
            fleet.awaitAcknowledged(wanted);
            fleet.finish(window);
            Verdict verdict = new Verdict(operations, system.history, EXPECTED_FALSE_POSITIVES);
            system.readAll().forEach(row -> judge(verdict, row.getString("name"), row.getLong("value")));
            verdict.conclude();
            System.out.print(verdict.explanation());
            return findings(system, fleet, verdict, wanted);
        }
    }

    private void happen(Schedule.Event event, LaneSystem system) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(event.seed());
        List<CassandraNode> nodes = system.cluster.nodes();
        int number = random.nextInt(nodes.size());
        CassandraNode node = nodes.get(number);
        TcpProxy proxy = system.proxies.get(random.nextInt(nodes.size()));
        happened.merge(event.fault(), 1, Integer::sum);
        system.history.note(event.fault() + ": node " + number);
        switch (event.fault()) {
            case KILL_APP -> {
                AppProcess app = system.apps.get(random.nextInt(system.apps.size()));
                app.kill();
                app.start();
            }
            case KILL_CASSANDRA -> {
                node.kill();
                node.start();
            }
            case FREEZE_CASSANDRA -> freeze(random, List.of(node));
            case FREEZE_QUORUM -> freeze(random, List.of(node, nodes.get((number + 1) % nodes.size())));
            case CUT_CASSANDRA_LINKS -> proxy.cutAll();
            case LOSE_CASSANDRA_RESPONSES -> proxy.loseNextResponses(1 + random.nextInt(3));
            case CUT_CASSANDRA_LINK -> {
                List<Link> links = proxy.links();
                if (!links.isEmpty()) {
                    links.get(random.nextInt(links.size())).cut();
                }
            }
            default -> throw new IllegalArgumentException("fault=" + event.fault());
        }
    }

    private static void freeze(SplittableRandom random, List<CassandraNode> nodes)
            throws IOException, InterruptedException {
        for (CassandraNode node : nodes) {
            node.freeze();
        }
        Waiting.sleep(Duration.ofMillis(SHORT_MILLIS + random.nextInt(LONG_MILLIS)));
        for (CassandraNode node : nodes) {
            node.thaw();
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

    private Findings findings(LaneSystem system, Fleet fleet, Verdict verdict, long wanted) {
        long lost = verdict.total().lost();
        long doubled = verdict.total().doubled();
        Sheet sheet = new Sheet();
        sheet.add("acknowledged", fleet.acknowledged());
        sheet.add("requests", system.history.requests());
        sheet.add("given up", fleet.abandoned());
        sheet.addAll("faults", happened);
        sheet.add(
                "responses lost",
                system.proxies.stream().mapToLong(TcpProxy::responsesLost).sum());
        sheet.add("lost", lost);
        sheet.add("doubled", doubled);
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
