package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Machine;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.process.Directories;
import java.nio.file.Path;
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

    /*
     * The machine's other work, and the server's, comes and goes: it meets all contenders alike when they take turns, and
     * each begins a round once. Before a turn everybody's tables are vacuumed and the server makes a checkpoint, so that
     * nobody pays for what another has done; after it the contender runs for a while unmeasured, so that it is not
     * measured while it writes each page in full for the first time. Processor time is what a busy machine distorts least.
     */
    @Override
    public Findings run(Settings settings) throws Exception {
        int threads = settings.atLeastOne("threads");
        Path directory = settings.directory();
        Directories.delete(directory);
        try (BenchDatabase database = BenchDatabase.start(
                        settings.postgres(),
                        directory,
                        threads,
                        Workload.MOST_COUNTERS,
                        contenders(settings),
                        settings.text("redis"));
                Crowd crowd = new Crowd(database, threads, settings.flag("virtual"), Workload.MOST_COUNTERS)) {
            GuardReport report = run(database, crowd, settings);
            if (settings.run().equals("guard")) {
                Plots.draw(report, settings.results());
            }
            return new Findings(report, report.table(), report.targets(), report.failures(), database.servers());
        }
    }

    /** Those that are named, in the order of the enum; all if none is. */
    static Set<GuardContender> contenders(Settings settings) {
        List<GuardContender> named = settings.constants("contenders", GuardContender.class);
        return named.isEmpty() ? EnumSet.allOf(GuardContender.class) : EnumSet.copyOf(named);
    }

    private static GuardReport run(BenchDatabase database, Crowd crowd, Settings settings) throws Exception {
        List<Workload> workloads = settings.constants("workloads", Workload.class);
        Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
        for (GuardContender contender : contenders(settings)) {
            if (database.suffices(contender)) {
                increments.put(contender, database.application(contender, settings.directory(), Map.of()));
            }
        }
        database.stopAutovacuum();
        // all of it comes before anything is measured: else the first workload would meet code that the JVM is
        // compiling
        for (Workload workload : workloads) {
            for (Map.Entry<GuardContender, Increments> one : increments.entrySet()) {
                crowd.run(workload, one.getKey(), one.getValue(), settings.millis("warmUpMillis"));
            }
        }
        double syncMicros = Machine.syncMicros(settings.directory());
        List<Turn> turns = new ArrayList<>();
        Map<Workload, Map<GuardContender, Map<String, Double>>> accuracies = new EnumMap<>(Workload.class);
        for (Workload workload : workloads) {
            for (GuardContender contender : Rounds.of(settings.atLeastOne("rounds"), increments.keySet())) {
                Increments its = Objects.requireNonNull(increments.get(contender));
                database.tidy();
                System.gc();
                crowd.run(workload, contender, its, settings.millis("leadInMillis"));
                turns.add(crowd.run(workload, contender, its, settings.millis("millis")));
                System.out.println(turns.get(turns.size() - 1));
            }
            Map<GuardContender, Map<String, Double>> byContender = new EnumMap<>(GuardContender.class);
            for (GuardContender contender : increments.keySet()) {
                byContender.put(contender, crowd.accuracy(contender));
            }
            accuracies.put(workload, byContender);
        }
        double meanSyncMicros = (syncMicros + Machine.syncMicros(settings.directory())) / 2;
        return GuardReport.of(turns, accuracies, meanSyncMicros);
    }
}
