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
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Counts what was done to the system and what came of it. Thread-safe while the torture goes on. */
final class SystemReport {

    private final Map<Fault, Long> happened = new EnumMap<>(Fault.class);
    private final Map<String, Long> steps = new TreeMap<>();
    private final Map<String, Long> missed = new TreeMap<>();
    private final List<Start> recoveries = new ArrayList<>();
    private final List<Start> recoveriesLeftAlone = new ArrayList<>();
    private final List<Long> lives = new ArrayList<>();
    private Duration firstStart = Duration.ZERO;
    private Duration longestPostgresRecovery = Duration.ZERO;

    synchronized void started(Duration start) {
        firstStart = longer(firstStart, start);
    }

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
        longestPostgresRecovery = longer(longestPostgresRecovery, recovery);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
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
                .filter(entry -> entry.getKey().lane() == lane && entry.getKey().kills())
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

    /** Takes the end of it all. */
    synchronized Findings conclude(
            Duration recoveryBound, SystemUnderTorture system, Fleet fleet, Verdict verdict, Database.Groups groups)
            throws SQLException {
        History history = system.history();
        List<String> failures = new ArrayList<>();
        if (!isPassed(verdict, history.acknowledged(), groups)) {
            failures.add("operations are lost, doubled or foreign, or there were none, or no group had several");
        }
        if (!isRecoveryPassed(recoveryBound)) {
            failures.add("clients waited too long after a kill, or a life of the crash loop applied nothing");
        }
        Sheet sheet = new Sheet();
        sheet.json("seconds", history.millis() / 1_000);
        sheet.add("operations", "operations", history.operations());
        sheet.add("acknowledged", "  acknowledged", history.acknowledged());
        sheet.add("unacknowledgedApplied", "  never acknowledged, applied", verdict.unacknowledgedApplied());
        sheet.add("unacknowledgedNew", "  never acknowledged, not applied", verdict.unacknowledgedNew());
        sheet.json("givenUp", fleet.abandoned());
        sheet.add("requests", "requests", history.requests());
        sheet.json("outcomes", history.outcomes());
        addFaults(sheet, system.nodes());
        sheet.line("seconds", history.millis() / 1_000);
        addFilters(sheet, system.nodes());
        sheet.add("falsePositivesExpected", "false positives expected", verdict.expectedFalsePositives());
        int falsePositives = verdict.falsePositives().size();
        sheet.add("falsePositivesSeen", "false positives seen", falsePositives);
        addStarts(sheet);
        addVerdict(sheet, verdict, groups);
        Map<String, String> servers = Map.of("postgres", system.postgres().version());
        return new Findings(sheet.json(), sheet.table(), targets(recoveryBound), failures, servers);
    }

    private void addFaults(Sheet sheet, List<Node> nodes) {
        Map<String, Long> intercepted = new TreeMap<>();
        Map<Delivery, Long> deliveries = new EnumMap<>(Delivery.class);
        for (Node node : nodes) {
            node.interceptions().done().forEach((what, count) -> intercepted.merge(what, count, Long::sum));
            node.interceptions().deliveries().forEach((what, count) -> deliveries.merge(what, count, Long::sum));
        }
        sheet.json("faults", new EnumMap<>(happened));
        sheet.add("applicationKills", "kills of the application", kills(Fault.Lane.APP));
        addLane(sheet, Fault.Lane.APP);
        sheet.json("killsByStep", steps);
        steps.forEach((step, count) -> sheet.line("    " + step, count));
        sheet.add("postgresKills", "kills of PostgreSQL (the rest of its lane is none)", kills(Fault.Lane.POSTGRES));
        addLane(sheet, Fault.Lane.POSTGRES);
        sheet.add("commitsSeen", "guarded COMMITs seen", seen(nodes, Moment.COMMIT));
        sheet.add("commitsCut", "commits cut", cut(nodes, Moment.COMMIT));
        sheet.add("groupStatementsSeen", "statements of groups seen", seen(nodes, Moment.GROUP));
        sheet.add("groupStatementsCut", "statements of groups cut", cut(nodes, Moment.GROUP));
        sheet.json("intercepted", intercepted);
        intercepted.forEach((what, count) -> sheet.line("  " + what, count));
        sheet.json("deliveredWithoutClient", deliveries);
        addLane(sheet, Fault.Lane.DATABASE_NETWORK);
        addLane(sheet, Fault.Lane.CLIENT_NETWORK);
    }

    private void addLane(Sheet sheet, Fault.Lane lane) {
        happened.forEach((fault, count) -> {
            if (fault.lane() == lane) {
                sheet.line("  " + fault, count);
            }
        });
    }

    private static long seen(List<Node> nodes, Moment moment) {
        return sum(nodes, node -> node.interceptions().passed(moment));
    }

    private static long cut(List<Node> nodes, Moment moment) {
        return sum(nodes, node -> node.interceptions().done(moment, Action.CUT_BEFORE))
                + sum(nodes, node -> node.interceptions().done(moment, Action.CUT_AFTER))
                + sum(nodes, node -> node.interceptions().done(moment, Action.HOLD));
    }

    private static long sum(List<Node> nodes, ToLongFunction<Node> count) {
        return nodes.stream().mapToLong(count).sum();
    }

    private void addFilters(Sheet sheet, List<Node> nodes) {
        addLane(sheet, Fault.Lane.LOAD);
        long refreshes = sum(nodes, node -> node.tally().refreshes());
        sheet.add("refreshes", "refreshes of the filters", refreshes);
        sheet.add(
                "arenasAddedLarger",
                "arenas added by growth",
                sum(nodes, node -> node.tally().larger()));
        sheet.add(
                "arenasAddedSmaller",
                "arenas added by shrinking",
                sum(nodes, node -> node.tally().smaller()));
        sheet.add(
                "arenasDropped",
                "arenas dropped",
                sum(nodes, node -> node.tally().dropped()));
        sheet.add("warningsOfNoRoomToGrow", "warnings of no room to grow", sum(nodes, Node::warningsOfNoRoom));
        sheet.json("faultsMissed", missed);
        missed.forEach((fault, count) -> sheet.line("missed: " + fault, count));
        sheet.add(
                "inDoubtSettledAsApplied",
                "in doubt, settled as applied",
                sum(nodes, node -> node.settledAs("applied")));
        sheet.add("inDoubtSettledAsNew", "in doubt, settled as new", sum(nodes, node -> node.settledAs("new")));
    }

    private static void addVerdict(Sheet sheet, Verdict verdict, Database.Groups groups) {
        int wrongValues = verdict.wrongValues().size();
        sheet.add("wrongValues", "counters with a wrong value", wrongValues);
        sheet.json("foreign", verdict.foreign().size());
        sheet.add("groups", "groups committed", groups.count());
        sheet.add("operationsInGroups", "  operations in them", groups.operations());
        sheet.add("meanGroupSize", "  mean size", groups.meanSize());
        sheet.add("largestGroup", "  largest", groups.largest());
        sheet.add("groupsOfSeveral", "groups of several", groups.ofSeveral());
        sheet.add("operationsInGroupsOfSeveral", "  operations in them", groups.operationsOfSeveral());
        sheet.json("byTarget", verdict.tallies());
        verdict.tallies().forEach((target, tally) -> {
            String name = target.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            sheet.line("acknowledged, on " + name, tally.acknowledged());
            sheet.line("  LOST", tally.lost());
            sheet.line("  DOUBLED", tally.doubled());
        });
        sheet.add("lost", "LOST", verdict.total().lost());
        sheet.add("doubled", "DOUBLED", verdict.total().doubled());
    }

    private void addStarts(Sheet sheet) {
        sheet.json("firstStartMillis", firstStart.toMillis());
        sheet.add("recoveries", "starts of the application after a kill", recoveries.size());
        addTimes(sheet, recoveries, "StartMillis", "process start to first applied operation", Start::applied);
        String wait = "first response to first applied operation";
        addTimes(sheet, recoveries, "UntilAppliedMillis", wait, Start::untilApplied);
        sheet.add("recoveriesLeftAlone", "starts that nothing else was done to", recoveriesLeftAlone.size());
        addTimes(sheet, recoveriesLeftAlone, "UntilAppliedLeftAloneMillis", wait, Start::untilApplied);
        int refused = recoveries.stream().mapToInt(Start::refusedWhileReady).sum();
        sheet.add("refusedWhileReady", "operations refused while ready", refused);
        sheet.add("lives", "lives of the crash loop", lives.size());
        long fewest = lives.stream().mapToLong(Long::longValue).min().orElse(0);
        sheet.add("fewestAppliedInALife", "  fewest operations applied in one", fewest);
        long postgres = longestPostgresRecovery.toMillis();
        sheet.add("longestPostgresRecoveryMillis", "longest recovery of PostgreSQL, ms", postgres);
    }

    private static void addTimes(
            Sheet sheet, List<Start> starts, String key, String name, Function<Start, Duration> time) {
        sheet.add("median" + key, "  " + name + ", ms", percentile(starts, time, 0.5));
        sheet.add("longest" + key, "    longest", percentile(starts, time, 1));
    }
}
