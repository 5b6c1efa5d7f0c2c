package dev.fbf.loadtest.torture.lanes;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.cassandra.CassandraNode;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.system.AppProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What is done to the system: to the nodes of Cassandra, to those of the application, and to the connections between them, at a time. */
final class LaneFaults {

    private static final int SHORT_MILLIS = 300;
    private static final int LONG_MILLIS = 4_000;

    private final Settings settings;
    private final LaneSystem system;
    private final SplittableRandom seeds;

    LaneFaults(Settings settings, LaneSystem system) {
        this.settings = settings;
        this.system = system;
        seeds = new SplittableRandom(settings.integer("seed"));
    }

    /** A kind of fault, done again and again. */
    private interface Fault {
        void happen(SplittableRandom random) throws IOException, InterruptedException;
    }

    /** Does all faults, each kind on a thread of its own. */
    void run() throws InterruptedException, IOException {
        List<Callable<Void>> kinds = new ArrayList<>();
        kinds.add(repeat("cassandra-faults", this::disturbCassandra));
        kinds.add(repeat("app-kills", this::killApp));
        kinds.add(repeat("cuts", this::cut));
        ExecutorService threads = Executors.newFixedThreadPool(kinds.size());
        try {
            for (Future<Void> kind : threads.invokeAll(kinds)) {
                kind.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("a fault could not be made", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private Callable<Void> repeat(String setting, Fault fault) {
        int count = settings.count(setting);
        long pauseNanos = count == 0 ? 0 : settings.seconds("seconds").toNanos() / count;
        SplittableRandom random = seeds.split();
        return () -> {
            long due = System.nanoTime();
            for (int i = 0; i < count; i++) {
                long at = due + (long) (random.nextDouble() * pauseNanos);
                Waiting.sleep(Duration.ofNanos(Math.max(0, at - System.nanoTime())));
                fault.happen(random);
                due += pauseNanos;
            }
            return null;
        };
    }

    /** Most leave a quorum; one in ten does not. */
    private void disturbCassandra(SplittableRandom random) throws IOException, InterruptedException {
        List<CassandraNode> nodes = system.cluster().nodes();
        int first = random.nextInt(nodes.size());
        int kind = random.nextInt(10);
        Duration length = Duration.ofMillis(SHORT_MILLIS + random.nextInt(LONG_MILLIS));
        if (kind == 0) {
            CassandraNode other = nodes.get((first + 1) % nodes.size());
            system.history().note("nodes " + first + " and the next are frozen for " + length);
            nodes.get(first).freeze();
            other.freeze();
            system.quorumLosses.incrementAndGet();
            Waiting.sleep(length);
            nodes.get(first).thaw();
            other.thaw();
            system.awaitWork();
        } else if (kind < 4) {
            system.history().note("node " + first + " is frozen for " + length);
            nodes.get(first).freeze();
            system.cassandraFreezes.incrementAndGet();
            Waiting.sleep(length);
            nodes.get(first).thaw();
        } else {
            system.history().note("node " + first + " is killed");
            nodes.get(first).kill();
            system.cassandraKills.incrementAndGet();
            nodes.get(first).start();
            system.history().note("node " + first + " takes connections");
        }
    }

    private void killApp(SplittableRandom random) throws IOException, InterruptedException {
        AppProcess app = system.apps().get(random.nextInt(system.apps().size()));
        system.history().note("an application is killed");
        app.kill();
        system.appKills.incrementAndGet();
        app.start();
        system.history().note("the application has applied an operation");
    }

    /** Before requests arrive, after they have and before their responses do, or neither: one of them freezes for a while. */
    private void cut(SplittableRandom random) throws InterruptedException {
        TcpProxy proxy = system.proxies().get(random.nextInt(system.proxies().size()));
        system.cuts.incrementAndGet();
        switch (random.nextInt(3)) {
            case 0 -> proxy.cutAll();
            case 1 -> proxy.loseNextResponses(1 + random.nextInt(3));
            default -> {
                List<Link> links = proxy.links();
                if (!links.isEmpty()) {
                    links.get(random.nextInt(links.size())).cut();
                }
            }
        }
    }
}
