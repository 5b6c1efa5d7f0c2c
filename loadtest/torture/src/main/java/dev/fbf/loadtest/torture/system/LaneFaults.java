package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.cassandra.CassandraNode;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Faults of the nodes of Cassandra, of those of the application, and of the connections between them. */
final class LaneFaults {

    private static final Set<Fault.Lane> LANES =
            EnumSet.of(Fault.Lane.APP, Fault.Lane.CASSANDRA, Fault.Lane.CASSANDRA_NETWORK);

    /** Of the application's own lane, all but a kill need PostgreSQL or an agent. */
    private static final List<Fault> OF_POSTGRES =
            List.of(Fault.KILL_APP_IN_COMMIT, Fault.KILL_AT_STEP, Fault.KILL_APP_ON_FULL_DISK, Fault.KILL_APP_IN_GROUP);

    private static final int SHORT_MILLIS = 300;
    private static final int LONG_MILLIS = 4_000;

    private final LaneSystem system;
    private final Map<Fault, Integer> happened = new ConcurrentHashMap<>();

    LaneFaults(LaneSystem system) {
        this.system = system;
    }

    void run(Settings settings) throws InterruptedException {
        new Schedule(
                        settings.integer("seed"),
                        Schedule.counts(settings, LANES),
                        settings.seconds("seconds"),
                        OF_POSTGRES)
                .run(system.history(), this::happen);
    }

    /** {@return how often each fault happened} */
    Map<Fault, Integer> happened() {
        return new TreeMap<>(happened);
    }

    private void happen(Schedule.Event event) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(event.seed());
        List<CassandraNode> nodes = system.cluster().nodes();
        CassandraNode node = nodes.get(random.nextInt(nodes.size()));
        TcpProxy proxy = system.proxies().get(random.nextInt(nodes.size()));
        happened.merge(event.fault(), 1, Integer::sum);
        switch (event.fault()) {
            case KILL_APP -> {
                AppProcess app = system.apps().get(random.nextInt(system.apps().size()));
                app.kill();
                note(event, "an application");
                app.start();
            }
            case KILL_CASSANDRA -> {
                note(event, "node " + nodes.indexOf(node));
                node.kill();
                node.start();
            }
            case FREEZE_CASSANDRA -> freeze(event, random, List.of(node));
            case FREEZE_QUORUM -> {
                freeze(event, random, List.of(node, nodes.get((nodes.indexOf(node) + 1) % nodes.size())));
                system.awaitWork();
            }
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

    private void freeze(Schedule.Event event, SplittableRandom random, List<CassandraNode> nodes)
            throws IOException, InterruptedException {
        Duration length = Duration.ofMillis(SHORT_MILLIS + random.nextInt(LONG_MILLIS));
        note(event, nodes.size() + " for " + length);
        for (CassandraNode node : nodes) {
            node.freeze();
        }
        Waiting.sleep(length);
        for (CassandraNode node : nodes) {
            node.thaw();
        }
    }

    private void note(Schedule.Event event, String what) {
        system.history().note(event.fault() + ": " + what);
    }
}
