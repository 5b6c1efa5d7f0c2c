package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.pgwire.Interception.Action;
import dev.fbf.loadtest.torture.pgwire.Interception.Delivery;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Counts what was done to the system and what came of it. Thread-safe while the torture goes on. */
final class SystemReport {

    private final Map<Fault, Long> happened = new EnumMap<>(Fault.class);
    private final Map<String, Long> steps = new TreeMap<>();
    private final Map<String, Long> missed = new TreeMap<>();
    private final Map<String, Long> intercepted = new TreeMap<>();
    private final Map<Delivery, Long> deliveries = new EnumMap<>(Delivery.class);
    private final Sheet sheet = new Sheet();
    private Duration firstStart = Duration.ZERO;
    private final List<Start> recoveries = new ArrayList<>();
    private final List<Start> recoveriesLeftAlone = new ArrayList<>();
    private final List<Long> lives = new ArrayList<>();
    private Duration longestPostgresRecovery = Duration.ZERO;
    private long appliedInDoubt;
    private long newInDoubt;
    private long refreshes;
    private long larger;
    private long smaller;
    private long dropped;
    private long warningsOfNoRoom;
    private long commitsCut;
    private long commitsSeen;
    private long groupsCut;
    private long groupsSeen;
    private final List<String> failures = new ArrayList<>();

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

    /** What the applications say of the operations whose COMMIT was unknown; all their lives together. */
    synchronized void inDoubt(long settledAsApplied, long settledAsNew) {
        appliedInDoubt += settledAsApplied;
        newInDoubt += settledAsNew;
    }

    /** Takes what was counted beside each application. */
    synchronized void count(List<Node> nodes) throws IOException {
        for (Node node : nodes) {
            inDoubt(node.settledAs("applied"), node.settledAs("new"));
            refreshes += node.tally().refreshes();
            larger += node.tally().larger();
            smaller += node.tally().smaller();
            dropped += node.tally().dropped();
            warningsOfNoRoom += node.warningsOfNoRoom();
            node.interceptions().done().forEach((what, count) -> intercepted.merge(what, count, Long::sum));
            node.interceptions().deliveries().forEach((what, count) -> deliveries.merge(what, count, Long::sum));
            commitsSeen += node.interceptions().passed().getOrDefault(Moment.COMMIT, 0L);
            commitsCut += cut(node, Moment.COMMIT);
            groupsSeen += node.interceptions().passed().getOrDefault(Moment.GROUP, 0L);
            groupsCut += cut(node, Moment.GROUP);
        }
    }

    private static long cut(Node node, Moment moment) {
        return node.interceptions().done(moment, Action.CUT_BEFORE, Action.CUT_AFTER, Action.HOLD);
    }

    /** Whether a run has shown what it was to show, but for the time that clients waited. */
    static boolean isPassed(Verdict verdict, long acknowledged, Tables.Groups groups) {
        return verdict.passed() && acknowledged > 0 && groups.ofSeveral() > 0;
    }

    /** Whether clients waited as long as they may after a kill, and every life has counted. */
    synchronized boolean isRecoveryPassed(Duration bound) {
        return percentile(recoveriesLeftAlone, Start::untilApplied, 1) <= bound.toMillis()
                && percentile(recoveriesLeftAlone, Start::untilApplied, 0.5) <= bound.toMillis() / 5.0
                && recoveries.stream().allMatch(start -> start.refusedWhileReady() == 0)
                && lives.stream().allMatch(applied -> applied > 0);
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
    synchronized void conclude(
            Parameters parameters, History history, Fleet fleet, Verdict verdict, Tables.Groups groups) {
        if (!isPassed(verdict, history.acknowledged(), groups)) {
            failures.add("operations are lost, doubled or foreign, or there were none, or no group had several");
        }
        if (!isRecoveryPassed(parameters.recoveryBound())) {
            failures.add("clients waited too long after a kill, or a life of the crash loop applied nothing");
        }
        sheet.json("seconds", history.millis() / 1_000);
        sheet.add("operations", "operations", history.operations());
        sheet.add("acknowledged", "  acknowledged", history.acknowledged());
        sheet.add("unacknowledgedApplied", "  never acknowledged, applied", verdict.unacknowledgedApplied());
        sheet.add("unacknowledgedNew", "  never acknowledged, not applied", verdict.unacknowledgedNew());
        sheet.json("givenUp", fleet.abandoned());
        sheet.add("requests", "requests", history.requests());
        sheet.json("outcomes", history.outcomes());
        sheet.json("faults", new EnumMap<>(happened));
        sheet.add("applicationKills", "kills of the application", kills(Fault.Lane.APP));
        faults(Fault.Lane.APP);
        sheet.json("killsByStep", steps);
        steps.forEach((step, count) -> sheet.line("    " + step, count));
        sheet.add("postgresKills", "kills of PostgreSQL (the rest of its lane is none)", kills(Fault.Lane.POSTGRES));
        faults(Fault.Lane.POSTGRES);
        sheet.add("commitsSeen", "guarded COMMITs seen", commitsSeen);
        sheet.add("commitsCut", "commits cut", commitsCut);
        sheet.add("groupStatementsSeen", "statements of groups seen", groupsSeen);
        sheet.add("groupStatementsCut", "statements of groups cut", groupsCut);
        sheet.json("intercepted", intercepted);
        intercepted.forEach((what, count) -> sheet.line("  " + what, count));
        sheet.json("deliveredWithoutClient", deliveries);
        faults(Fault.Lane.DATABASE_NETWORK);
        faults(Fault.Lane.CLIENT_NETWORK);
        sheet.line("seconds", history.millis() / 1_000);
        faults(Fault.Lane.LOAD);
        sheet.add("refreshes", "refreshes of the filters", refreshes);
        sheet.add("arenasAddedLarger", "arenas added by growth", larger);
        sheet.add("arenasAddedSmaller", "arenas added by shrinking", smaller);
        sheet.add("arenasDropped", "arenas dropped", dropped);
        sheet.add("warningsOfNoRoomToGrow", "warnings of no room to grow", warningsOfNoRoom);
        sheet.json("faultsMissed", missed);
        missed.forEach((fault, count) -> sheet.line("missed: " + fault, count));
        sheet.add("inDoubtSettledAsApplied", "in doubt, settled as applied", appliedInDoubt);
        sheet.add("inDoubtSettledAsNew", "in doubt, settled as new", newInDoubt);
        sheet.add("falsePositivesExpected", "false positives expected", verdict.expectedFalsePositives());
        sheet.add(
                "falsePositivesSeen",
                "false positives seen",
                verdict.falsePositives().size());
        concludeStarts();
        sheet.add(
                "wrongValues",
                "counters with a wrong value",
                verdict.wrongValues().size());
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

    private void concludeStarts() {
        sheet.json("firstStartMillis", firstStart.toMillis());
        sheet.add("recoveries", "starts of the application after a kill", recoveries.size());
        sheet.add(
                "medianStartMillis",
                "  process start to first applied operation, ms",
                percentile(recoveries, Start::applied, 0.5));
        sheet.add("longestStartMillis", "    longest", percentile(recoveries, Start::applied, 1));
        sheet.add(
                "medianUntilAppliedMillis",
                "  first response to first applied operation, ms",
                percentile(recoveries, Start::untilApplied, 0.5));
        sheet.add("longestUntilAppliedMillis", "    longest", percentile(recoveries, Start::untilApplied, 1));
        sheet.add("recoveriesLeftAlone", "starts that nothing else was done to", recoveriesLeftAlone.size());
        sheet.add(
                "medianUntilAppliedLeftAloneMillis",
                "  first response to first applied operation, ms",
                percentile(recoveriesLeftAlone, Start::untilApplied, 0.5));
        sheet.add(
                "longestUntilAppliedLeftAloneMillis",
                "    longest",
                percentile(recoveriesLeftAlone, Start::untilApplied, 1));
        sheet.add(
                "refusedWhileReady",
                "operations refused while ready",
                recoveries.stream().mapToInt(Start::refusedWhileReady).sum());
        sheet.add("lives", "lives of the crash loop", lives.size());
        sheet.add(
                "fewestAppliedInALife",
                "  fewest operations applied in one",
                lives.stream().mapToLong(Long::longValue).min().orElse(0));
        sheet.add(
                "longestPostgresRecoveryMillis",
                "longest recovery of PostgreSQL, ms",
                longestPostgresRecovery.toMillis());
    }

    /** How often SIGKILL was sent; whatever else a lane does is no kill. */
    synchronized long kills(Fault.Lane lane) {
        return happened.entrySet().stream()
                .filter(entry -> entry.getKey().lane() == lane && entry.getKey().kills())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    synchronized List<String> failures() {
        return List.copyOf(failures);
    }

    /** Of the starts that nothing else was done to. */
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

    synchronized Sheet sheet() {
        return sheet;
    }

    private void faults(Fault.Lane lane) {
        happened.forEach((fault, count) -> {
            if (fault.lane() == lane) {
                sheet.line("  " + fault, count);
            }
        });
    }
}
