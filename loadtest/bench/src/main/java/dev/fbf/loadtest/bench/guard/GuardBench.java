package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Crowd;
import dev.fbf.loadtest.bench.Increments;
import dev.fbf.loadtest.bench.Report;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.Workload;
import dev.fbf.loadtest.harness.Machine;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.process.Directories;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Runs all contenders in one run, round by round in turn, compares their medians, and draws them. Fails if counters that are
 * guarded are wrong.
 */
public final class GuardBench implements Run {

    /** As {@link Report#targets} reads it; the bound {@code sync} depends on the disk. */
    private static final String TARGETS = """
            IDLE | FILTER | KEY_INSERT | p50Micros | <=1
            IDLE | LEDGER | KEY_INSERT | p50Micros | <=1.1
            IDLE | COUNTERS | UPDATE | p50Micros | <=1.3
            HOT | LEDGER | KEY_INSERT | perSecond | >=1.05
            HOT | LEDGER_SQL_ONLY | KEY_INSERT | perSecond | >=1.2
            HOT | FILTER | KEY_INSERT | perSecond | >=1.05
            HOT | COUNTERS | UPDATE | perSecond | sync
            HOT | COUNTERS_LEDGER | UPDATE | perSecond | >=9
            HOT | COUNTERS | GROUPED_UPSERT | serverMicros | <=1.4
            HOT | COUNTERS_LEDGER | GROUPED_UPSERT | serverMicros | <=3
            ROWS | FILTER | PLAIN | perSecond | >=0.85
            ROWS | LEDGER | PLAIN | perSecond | >=0.75
            ROWS | LEDGER | KEY_INSERT | perSecond | >=1.05
            ROWS | LEDGER | KEY_INSERT | serverMicros | <=1.05
            ROWS | LEDGER_SQL_ONLY | KEY_INSERT | perSecond | >=1.25
            ROWS | COUNTERS | UPDATE | perSecond | >=1.8
            ROWS | COUNTERS_LEDGER | UPDATE | perSecond | >=1.5
            ROWS | COUNTERS_LEDGER | GROUPED_UPSERT | perSecond | >=0.8
            ROWS | COUNTERS | GROUPED_UPSERT | serverMicros | <=1.15
            ROWS | COUNTERS_LEDGER | GROUPED_UPSERT | serverMicros | <=1.6
            ROWS_STORM | LEDGER | CTE | perSecond | >=1
            ROWS_STORM | COUNTERS_LEDGER | CTE | perSecond | >=1
            ROWS_STORM | FILTER | KEY_INSERT | perSecond | >=5
            ZIPF_STORM | FILTER | KEY_INSERT | perSecond | >=5
            ROWS | COUNTERS_LEDGER | - | walBytes | <=300
            ROWS | COUNTERS_LEDGER | - | tableBytes | <=50
            """;

    /** Syncs of the disk, in microseconds: at most the first, a hot row's {@code UPDATE} waits little; from the second on, much. */
    private static final double FAST_SYNC = 100;

    private static final double SLOW_SYNC = 200;

    /*
     * The machine's other work, and the server's, comes and goes: it meets all contenders alike when they take turns, and
     * each begins a round once. Before a turn the contender's tables are vacuumed and the server makes a checkpoint, so that
     * nobody pays for what another has done; after it the contender runs for a while unmeasured, so that it is not
     * measured while it writes each page in full for the first time. Processor time is what a busy machine distorts least.
     */
    @Override
    public Findings run(Settings settings) throws Exception {
        List<Workload> workloads = settings.list("workloads").map(Workload::of).toList();
        int counters = workloads.stream().mapToInt(Workload::counters).max().orElse(1);
        int threads = settings.atLeastOne("threads");
        Path directory = settings.directory();
        Directories.delete(directory);
        try (BenchDatabase database = settings.text("database").equals("mariadb")
                        ? MariaDbBench.start(directory, threads, counters, contenders(settings))
                        : BenchDatabase.start(
                                settings.postgres(),
                                directory,
                                threads,
                                counters,
                                contenders(settings),
                                settings.text("redis"));
                Crowd crowd = new Crowd(threads, settings.flag("virtual"), counters)) {
            Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
            for (GuardContender contender : contenders(settings)) {
                if (database.suffices(contender)) {
                    increments.put(contender, database.application(contender, directory, Map.of()));
                }
            }
            double syncMicros = Machine.syncMicros(directory);
            Report report = Report.of(turns(database, crowd, workloads, increments, settings));
            syncMicros = (syncMicros + Machine.syncMicros(directory)) / 2;
            if (settings.run().equals("guard")) {
                Plots.draw(report, settings.results());
            }
            List<Target> targets =
                    new ArrayList<>(report.targets(TARGETS.replace("sync", ">=" + ofHotRow(syncMicros))));
            Map<GuardContender, Long> wrong = new EnumMap<>(GuardContender.class);
            for (GuardContender contender : increments.keySet()) {
                if (contender.isGuarded()) {
                    wrong.put(contender, crowd.wrong(database.counters(contender), List.of(contender)));
                }
            }
            wrong.forEach((contender, count) -> targets.add(Target.atMost("wrong counters of " + contender, 0, count)));
            return new Findings(report, report.table() + legend(), targets, failures(wrong), database.servers());
        }
    }

    /** Those that are named, in the order of the enum; all if none is. */
    private static Set<GuardContender> contenders(Settings settings) {
        List<GuardContender> named = settings.constants("contenders", GuardContender.class);
        return named.isEmpty() ? EnumSet.allOf(GuardContender.class) : EnumSet.copyOf(named);
    }

    private static List<Turn> turns(
            BenchDatabase database,
            Crowd crowd,
            List<Workload> workloads,
            Map<GuardContender, Increments> increments,
            Settings settings)
            throws Exception {
        database.stopAutovacuum();
        // all of it comes before anything is measured: else the first workload would meet code that the JVM is
        // compiling
        for (Workload workload : workloads) {
            for (Map.Entry<GuardContender, Increments> one : increments.entrySet()) {
                crowd.run(workload, one.getKey(), List.of(one.getValue()), settings.millis("warmUpMillis"));
            }
        }
        List<Turn> turns = new ArrayList<>();
        for (Workload workload : workloads) {
            for (GuardContender contender : Rounds.of(settings.atLeastOne("rounds"), increments.keySet())) {
                Increments its = Objects.requireNonNull(increments.get(contender));
                database.tidy(contender);
                System.gc();
                crowd.run(workload, contender, List.of(its), settings.millis("leadInMillis"));
                turns.add(turn(database, crowd, workload, contender, its, settings.millis("millis")));
                System.out.println(turns.get(turns.size() - 1));
            }
        }
        return turns;
    }

    private static Turn turn(
            BenchDatabase database,
            Crowd crowd,
            Workload workload,
            GuardContender contender,
            Increments increments,
            Duration time)
            throws Exception {
        Map<String, Double> before = database.costs(contender);
        Map<String, Double> figures = crowd.run(workload, contender, List.of(increments), time);
        figures.putAll(database.costsSince(before, contender, Objects.requireNonNull(figures.get("requests"))));
        return new Turn(workload.name(), contender, figures);
    }

    /** The bound of {@code COUNTERS} over {@code UPDATE}: 10 where a sync takes 0.1 ms at most, 12 from 0.2 ms on. */
    static double ofHotRow(double syncMicros) {
        double share = (syncMicros - FAST_SYNC) / (SLOW_SYNC - FAST_SYNC);
        return 10 + 2 * Math.max(0, Math.min(1, share));
    }

    /** @param wrong how many counters of each guarded contender are not what its clients were told */
    static List<String> failures(Map<GuardContender, Long> wrong) {
        return wrong.entrySet().stream()
                .filter(one -> one.getValue() > 0)
                .map(one -> one.getKey() + ": " + one.getValue() + " counters are not what its clients were told")
                .toList();
    }

    private static String legend() {
        return "\n"
                + Table.of(List.of(GuardContender.values()))
                        .text("", GuardContender::name)
                        .text("", GuardContender::description);
    }
}
