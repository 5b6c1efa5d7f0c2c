package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run.Findings;
import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.Interception.Action;
import dev.fbf.loadtest.torture.pgwire.Interception.Delivery;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Counts what was done to the system and what came of it. Thread-safe while the torture goes on. */
final class SystemReport {

    private final Map<Fault, Long> happened = new EnumMap<>(Fault.class);
    private final Map<String, Long> steps = new TreeMap<>();
    private final Map<String, Long> missed = new TreeMap<>();
    private final List<Start> recoveries = new ArrayList<>();
    private final List<Start> recoveriesLeftAlone = new ArrayList<>();
    private final List<Long> lives = new ArrayList<>();
    private long longestPostgresRecoveryMillis;

    /**
     * An application was started after a kill.
     *
     * @param leftAlone whether nothing else was done to the system meanwhile
     */
    synchronized void recovered(Start start, boolean leftAlone) {
        recoveries.add(start);
        if (leftAlone) {
            recoveriesLeftAlone.add(start);
        }
    }

    /** The applications were killed after they had applied so many operations in a life. */
    synchronized void lived(long applied) {
        lives.add(applied);
    }

    synchronized void recoveredPostgres(Duration recovery) {
        longestPostgresRecoveryMillis = Math.max(longestPostgresRecoveryMillis, recovery.toMillis());
    }

    synchronized void happened(Fault fault) {
        happened.merge(fault, 1L, Long::sum);
    }

    synchronized void killedAt(String step) {
        steps.merge(step, 1L, Long::sum);
    }

    /** A fault that could not happen: nothing was there for it to happen to. */
    synchronized void missed(String fault) {
        missed.merge(fault, 1L, Long::sum);
    }

    /** How often SIGKILL was sent; whatever else a lane does is no kill. */
    synchronized long kills(Fault.Lane lane) {
        return happened.entrySet().stream()
                .filter(entry -> entry.getKey().lane == lane && entry.getKey().kills())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Whether a run has shown what it was to show, but for the time that clients waited. */
    static boolean isPassed(Verdict verdict, long acknowledged, Database.Groups groups) {
        return verdict.passed() && acknowledged > 0 && groups.ofSeveral() > 0;
    }

    /** Whether clients waited as long as they may after a kill, and every life has counted. */
    synchronized boolean isRecoveryPassed(Duration bound) {
        return targets(bound).stream().allMatch(Target::met)
                && recoveries.stream().allMatch(start -> start.refusedWhileReady() == 0)
                && lives.stream().allMatch(applied -> applied > 0);
    }

    /** None if nothing was left alone after a kill: a short run may have no such start. */
    synchronized List<Target> targets(Duration bound) {
        if (recoveriesLeftAlone.isEmpty()) {
            return List.of();
        }
        String wait = "first response to first applied operation after a kill, ms: ";
        double longest = (double) percentile(recoveriesLeftAlone, Start::untilApplied, 1);
        double median = (double) percentile(recoveriesLeftAlone, Start::untilApplied, 0.5);
        return List.of(
                Target.atMost(wait + "median", bound.toMillis() / 5.0, median),
                Target.atMost(wait + "longest", (double) bound.toMillis(), longest));
    }

    /** In milliseconds; 0 of none. */
    private static long percentile(List<Start> starts, Function<Start, Duration> time, double share) {
        long[] sorted = starts.stream()
                .mapToLong(start -> time.apply(start).toMillis())
                .sorted()
                .toArray();
        return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    synchronized Findings conclude(
            Duration recoveryBound, SystemUnderTorture system, Fleet fleet, Verdict verdict, Database.Groups groups)
            throws SQLException {
        List<String> failures = new ArrayList<>();
        if (!isPassed(verdict, system.history.acknowledged(), groups)) {
            failures.add("operations are lost, doubled or foreign, or there were none, or no group had several");
        }
        if (!isRecoveryPassed(recoveryBound)) {
            failures.add("clients waited too long after a kill, or a life of the crash loop applied nothing");
        }
        Sheet sheet = new Sheet();
        addRequests(sheet, system.history, fleet, verdict);
        addFaults(sheet, system.nodes);
        addStarts(sheet);
        addVerdict(sheet, verdict, groups);
        Map<String, String> servers = Map.of("postgres", system.postgres.version());
        return new Findings(sheet.json(), sheet.table(), targets(recoveryBound), failures, servers);
    }

    private static void addRequests(Sheet sheet, History history, Fleet fleet, Verdict verdict) {
        sheet.add("seconds", history.millis() / 1_000);
        sheet.add("operations", history.operations());
        sheet.add("acknowledged", history.acknowledged());
        sheet.add("never acknowledged, applied", verdict.unacknowledgedApplied);
        sheet.add("never acknowledged, not applied", verdict.unacknowledgedNew);
        sheet.add("given up", fleet.abandoned());
        sheet.add("requests", history.requests());
        sheet.addAll("outcomes", history.outcomes());
    }

    private void addFaults(Sheet sheet, List<Node> nodes) {
        Map<String, Long> intercepted = new TreeMap<>();
        Map<Delivery, Long> deliveries = new EnumMap<>(Delivery.class);
        for (Node node : nodes) {
            node.interceptions().done().forEach((what, count) -> intercepted.merge(what, count, Long::sum));
            node.interceptions().deliveries().forEach((what, count) -> deliveries.merge(what, count, Long::sum));
        }
        sheet.add("kills of the application", kills(Fault.Lane.APP));
        sheet.add("kills of PostgreSQL", kills(Fault.Lane.POSTGRES));
        sheet.addAll("faults", happened);
        sheet.addAll("kills at a step", steps);
        sheet.addAll("faults that could not happen", missed);
        sheet.add("guarded COMMITs seen", seen(nodes, Moment.COMMIT));
        sheet.add("guarded COMMITs cut", cut(nodes, Moment.COMMIT));
        sheet.add("statements of groups seen", seen(nodes, Moment.GROUP));
        sheet.add("statements of groups cut", cut(nodes, Moment.GROUP));
        sheet.addAll("intercepted", intercepted);
        sheet.addAll("delivered without client", deliveries);
        sheet.add("refreshes of the filters", sum(nodes, node -> node.tally().refreshes()));
        sheet.add("arenas added by growth", sum(nodes, node -> node.tally().grown()));
        sheet.add("arenas added by shrinking", sum(nodes, node -> node.tally().shrunk()));
        sheet.add("warnings of no room to grow", sum(nodes, Node::warningsOfNoRoom));
        sheet.add("in doubt, settled as applied", sum(nodes, node -> node.settledAs("applied")));
        sheet.add("in doubt, settled as new", sum(nodes, node -> node.settledAs("new")));
    }

    private static long seen(List<Node> nodes, Moment moment) {
        return sum(nodes, node -> node.interceptions().passed(moment));
    }

    private static long cut(List<Node> nodes, Moment moment) {
        return Stream.of(Action.CUT_BEFORE, Action.CUT_AFTER, Action.HOLD)
                .mapToLong(action -> sum(nodes, node -> node.interceptions().done(moment, action)))
                .sum();
    }

    private static long sum(List<Node> nodes, ToLongFunction<Node> count) {
        return nodes.stream().mapToLong(count).sum();
    }

    private void addStarts(Sheet sheet) {
        sheet.add("starts of the application after a kill", recoveries.size());
        addTimes(sheet, recoveries, "process start to first applied operation, ms", Start::applied);
        String wait = "first response to first applied operation, ms";
        addTimes(sheet, recoveries, wait, Start::untilApplied);
        sheet.add("starts that nothing else was done to", recoveriesLeftAlone.size());
        addTimes(sheet, recoveriesLeftAlone, "of those: " + wait, Start::untilApplied);
        int refused = recoveries.stream().mapToInt(Start::refusedWhileReady).sum();
        sheet.add("operations refused while ready", refused);
        sheet.add("lives of the crash loop", lives.size());
        long fewest = lives.stream().mapToLong(Long::longValue).min().orElse(0);
        sheet.add("fewest operations applied in one", fewest);
        sheet.add("longest recovery of PostgreSQL, ms", longestPostgresRecoveryMillis);
    }

    private static void addTimes(Sheet sheet, List<Start> starts, String name, Function<Start, Duration> time) {
        sheet.add(name + ", median", percentile(starts, time, 0.5));
        sheet.add(name + ", longest", percentile(starts, time, 1));
    }

    private static void addVerdict(Sheet sheet, Verdict verdict, Database.Groups groups) {
        sheet.add("groups committed", groups.count());
        sheet.add("operations in them", groups.operations());
        sheet.add("their mean size", groups.meanSize());
        sheet.add("the largest", groups.largest());
        sheet.add("groups of several", groups.ofSeveral());
        sheet.add("operations in groups of several", groups.operationsOfSeveral());
        sheet.add("counters with a wrong value", verdict.wrongValues.size());
        sheet.add("applications of what nobody sent", verdict.foreign.size());
        sheet.add("false positives expected", verdict.expectedFalsePositives);
        sheet.add("false positives seen", verdict.falsePositives.size());
        verdict.tallies.forEach((target, tally) -> sheet.add("acknowledged, on " + target, tally.acknowledged()));
        sheet.add("lost", verdict.total().lost());
        sheet.add("doubled", verdict.total().doubled());
    }
}
