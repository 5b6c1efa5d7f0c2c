package dev.fbf.loadtest.bench.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.cassandra.LaneSettings;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.bench.Crowd;
import dev.fbf.loadtest.bench.Increments;
import dev.fbf.loadtest.bench.Report;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.Workload;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.process.Directories;
import dev.fbf.process.cassandra.CassandraCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Measures exact counters on a real Cassandra cluster beside Cassandra's own counter column, in turns. Fails if an exact counter is not
 * what its clients were told.
 */
public final class CassandraBench implements Run {

    /** As {@link Report#targets} reads it. */
    private static final String TARGETS = """
            16x1 | LANE | COLUMN | perSecond | >=2.5
            16x1 | LANE_OF_TWO | - | unfairness | <=3
            16x1 | LANE_OF_THREE | - | unfairness | <=3
            64x1 | LANE | COLUMN | perSecond | >=7
            64x1 | LANE_OF_TWO | COLUMN | perSecond | >=3
            64x1 | LANE_OF_TWO | - | unfairness | <=3
            64x1 | LANE_OF_THREE | COLUMN | perSecond | >=3
            64x1 | LANE_OF_THREE | - | unfairness | <=3
            16x1000 | LANE | COLUMN | perSecond | >=2.5
            64x1000 | LANE | COLUMN | perSecond | >=4
            1x1 | LANE | CONDITIONAL | p50Micros | <=1.2
            """;

    private static final int NODES = 3;
    private static final Workload WARM_UP = Workload.of("64x1");
    private static final Duration START = Duration.ofMinutes(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final FilterPlan PLAN = new FilterSizing(10_000, Duration.ofMinutes(10), 1e-9).plan();

    /** Who counts. */
    private enum Contender {
        /** Cassandra's own counter column: a time-out leaves it wrong. */
        COLUMN(0),
        /** A conditional update of one row by one client, without retries and without a filter: what a lane is made of. */
        CONDITIONAL(0),
        LANE(1),
        LANE_OF_TWO(2),
        LANE_OF_THREE(3);

        /** How many nodes of the application share its lane; 0 if it has none. */
        private final int nodes;

        Contender(int nodes) {
            this.nodes = nodes;
        }

        /** Nodes that share a lane are compared on a hot counter. */
        private boolean takesPart(Workload workload) {
            return this == CONDITIONAL
                    ? workload.clients() == 1
                    : nodes < 2 || (workload.clients() > nodes && workload.counters() == 1);
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        if (CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is measured.");
            return Findings.NONE;
        }
        Path directory = settings.directory().resolve("cassandra");
        Directories.delete(directory);
        List<Workload> workloads = settings.list("workloads").map(Workload::of).toList();
        int counters = workloads.stream().mapToInt(Workload::counters).max().orElse(1);
        try (CassandraCluster cluster =
                        CassandraCluster.start(directory, settings.atLeastOne("nodes"), List.of(), List.of());
                CqlSession session = cluster.createKeyspace("bench");
                Crowd crowd = new Crowd(1, false, counters)) {
            LaneSchema.create(session);
            String version = Objects.requireNonNull(session.execute("SELECT release_version FROM system.local")
                            .one())
                    .getString(0);
            List<LaneCounters> nodes = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                nodes.add(open(session));
            }
            Report report = Report.of(turns(settings, crowd, workloads, increments(session, nodes)));
            List<String> names =
                    IntStream.range(0, counters).mapToObj(CassandraBench::name).toList();
            Map<String, Long> counted = nodes.get(0).values(names);
            long wrong = crowd.wrong(
                    names.stream().map(name -> counted.getOrDefault(name, 0L)).toList(),
                    List.of(Contender.LANE, Contender.LANE_OF_TWO, Contender.LANE_OF_THREE));
            nodes.forEach(LaneCounters::close);
            return new Findings(
                    report,
                    report.table(),
                    report.targets(TARGETS),
                    wrong == 0 ? List.of() : List.of(wrong + " of the lane's counters are not what clients were told"),
                    Map.of("Cassandra", "Cassandra " + version));
        } finally {
            Directories.delete(directory);
        }
    }

    private static List<Turn> turns(
            Settings settings, Crowd crowd, List<Workload> workloads, Map<Contender, List<Increments>> increments)
            throws Exception {
        for (int warmUp = 0; warmUp < 2; warmUp++) {
            for (Contender contender : increments.keySet()) {
                Workload workload = contender == Contender.CONDITIONAL ? Workload.of("1x1") : WARM_UP;
                crowd.run(workload, contender, of(increments, contender), settings.millis("warmUpMillis"));
            }
        }
        List<Turn> turns = new ArrayList<>();
        for (Workload workload : workloads) {
            List<Contender> contenders = increments.keySet().stream()
                    .filter(contender -> contender.takesPart(workload))
                    .toList();
            for (Contender contender : Rounds.of(settings.atLeastOne("rounds"), contenders)) {
                turns.add(new Turn(
                        workload.name(),
                        contender,
                        crowd.run(workload, contender, of(increments, contender), settings.millis("millis"))));
                System.out.println(turns.get(turns.size() - 1));
            }
        }
        return turns;
    }

    private static List<Increments> of(Map<Contender, List<Increments>> increments, Contender contender) {
        return Objects.requireNonNull(increments.get(contender));
    }

    private static Map<Contender, List<Increments>> increments(CqlSession session, List<LaneCounters> nodes) {
        Map<Contender, List<Increments>> increments = new EnumMap<>(Contender.class);
        increments.put(Contender.COLUMN, List.of(column(session)));
        increments.put(Contender.CONDITIONAL, List.of(conditional(session)));
        List<Increments> lanes = nodes.stream().map(CassandraBench::lane).toList();
        for (Contender contender : List.of(Contender.LANE, Contender.LANE_OF_TWO, Contender.LANE_OF_THREE)) {
            increments.put(contender, lanes.subList(0, contender.nodes));
        }
        return increments;
    }

    private static Increments column(CqlSession session) {
        session.execute("CREATE TABLE own (name text PRIMARY KEY, value counter)");
        PreparedStatement add = session.prepare("UPDATE own SET value = value + 1 WHERE name = ?");
        return (counter, key) ->
                session.execute(add.bind(name(counter)).setConsistencyLevel(DefaultConsistencyLevel.QUORUM));
    }

    private static Increments conditional(CqlSession session) {
        session.execute("CREATE TABLE bare (name text PRIMARY KEY, value bigint)");
        session.execute("INSERT INTO bare (name, value) VALUES (?, 0)", name(0));
        PreparedStatement set = session.prepare("UPDATE bare SET value = ? WHERE name = ? IF value = ?");
        AtomicLong value = new AtomicLong();
        return (counter, key) -> {
            long known = value.getAndIncrement();
            boolean applied = session.execute(set.bind(known + 1, name(counter), known)
                            .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                            .setSerialConsistencyLevel(DefaultConsistencyLevel.SERIAL))
                    .wasApplied();
            if (!applied) {
                throw new IllegalStateException("value=" + known + ": another client has written");
            }
        };
    }

    private static Increments lane(LaneCounters node) {
        return (counter, key) -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            Claim claim = (Claim) node.admit(new OperationId(random.nextLong(), random.nextLong()), null);
            LaneIncrement increment = node.apply(claim, Map.of(name(counter), 1L), TIMEOUT);
            if (increment == null || increment.values() == null) {
                throw new IllegalStateException("not applied: "
                        + (increment == null ? "in doubt" : increment.refusal() + " " + increment.reason()));
            }
        };
    }

    private static String name(int counter) {
        return "counter " + counter;
    }

    private static LaneCounters open(CqlSession session) throws InterruptedException {
        LaneCounters node = new LaneCounters(session, new LaneSettings("bench", PLAN));
        long deadline = System.nanoTime() + START.toNanos();
        while (node.isRecovering()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the window is not read within " + START, node.failure());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return node;
    }
}
