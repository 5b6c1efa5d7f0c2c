package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.pgwire.Delivery;
import dev.fbf.loadtest.torture.pgwire.Interception.Action;
import dev.fbf.loadtest.torture.pgwire.Moment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
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
    private final Map<String, Object> result = new LinkedHashMap<>();
    private final Map<Operations.Target, Tally> tallies = new EnumMap<>(Operations.Target.class);
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
    static boolean isPassed(Verdict verdict, long acknowledged, Groups groups) {
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
    synchronized void conclude(Parameters parameters, History history, Fleet fleet, Verdict verdict, Groups groups) {
        if (!isPassed(verdict, history.acknowledged(), groups)) {
            failures.add("operations are lost, doubled or foreign, or there were none, or no group had several");
        }
        if (!isRecoveryPassed(parameters.recoveryBound())) {
            failures.add("clients waited too long after a kill, or a life of the crash loop applied nothing");
        }
        tallies.putAll(verdict.tallies());
        result.put("seconds", history.millis() / 1_000);
        result.put("operations", history.operations());
        result.put("requests", history.requests());
        result.put("acknowledged", history.acknowledged());
        result.put("givenUp", fleet.abandoned());
        result.put("unacknowledgedApplied", verdict.unacknowledgedApplied());
        result.put("unacknowledgedNew", verdict.unacknowledgedNew());
        result.put("outcomes", history.outcomes());
        result.put("applicationKills", kills(Fault.Lane.APP));
        result.put("postgresKills", kills(Fault.Lane.POSTGRES));
        result.put("faults", new EnumMap<>(happened));
        result.put("killsByStep", new TreeMap<>(steps));
        result.put("faultsMissed", new TreeMap<>(missed));
        result.put("commitsSeen", commitsSeen);
        result.put("commitsCut", commitsCut);
        result.put("groupStatementsSeen", groupsSeen);
        result.put("groupStatementsCut", groupsCut);
        result.put("groups", groups.count());
        result.put("operationsInGroups", groups.operations());
        result.put("groupsOfSeveral", groups.ofSeveral());
        result.put("operationsInGroupsOfSeveral", groups.operationsOfSeveral());
        result.put("meanGroupSize", groups.meanSize());
        result.put("largestGroup", groups.largest());
        result.put("intercepted", new TreeMap<>(intercepted));
        result.put("deliveredWithoutClient", new EnumMap<>(deliveries));
        result.put("inDoubtSettledAsApplied", appliedInDoubt);
        result.put("inDoubtSettledAsNew", newInDoubt);
        result.put("refreshes", refreshes);
        result.put("arenasAddedLarger", larger);
        result.put("arenasAddedSmaller", smaller);
        result.put("arenasDropped", dropped);
        result.put("warningsOfNoRoomToGrow", warningsOfNoRoom);
        result.put("falsePositivesExpected", verdict.expectedFalsePositives());
        result.put("falsePositivesSeen", verdict.falsePositives().size());
        result.put("byTarget", new EnumMap<>(tallies));
        result.put("lost", verdict.total().lost());
        result.put("doubled", verdict.total().doubled());
        result.put("foreign", verdict.foreign().size());
        result.put("wrongValues", verdict.wrongValues().size());
        result.put("firstStartMillis", firstStart.toMillis());
        result.put("recoveries", recoveries.size());
        result.put("medianStartMillis", percentile(recoveries, Start::applied, 0.5));
        result.put("longestStartMillis", percentile(recoveries, Start::applied, 1));
        result.put("medianUntilAppliedMillis", percentile(recoveries, Start::untilApplied, 0.5));
        result.put("longestUntilAppliedMillis", percentile(recoveries, Start::untilApplied, 1));
        result.put("recoveriesLeftAlone", recoveriesLeftAlone.size());
        result.put("medianUntilAppliedLeftAloneMillis", percentile(recoveriesLeftAlone, Start::untilApplied, 0.5));
        result.put("longestUntilAppliedLeftAloneMillis", percentile(recoveriesLeftAlone, Start::untilApplied, 1));
        result.put(
                "refusedWhileReady",
                recoveries.stream().mapToInt(Start::refusedWhileReady).sum());
        result.put("lives", lives.size());
        result.put(
                "fewestAppliedInALife",
                lives.stream().mapToLong(Long::longValue).min().orElse(0));
        result.put("longestPostgresRecoveryMillis", longestPostgresRecovery.toMillis());
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
    synchronized List<Target> targets(Duration bound) {
        String wait = "first response to first applied operation after a kill, ms: ";
        double longest = (double) percentile(recoveriesLeftAlone, Start::untilApplied, 1);
        double median = (double) percentile(recoveriesLeftAlone, Start::untilApplied, 0.5);
        return List.of(
                Target.atMost(wait + "median", bound.toMillis() / 5.0, median),
                Target.atMost(wait + "longest", (double) bound.toMillis(), longest));
    }

    synchronized Map<String, Object> json() {
        return new LinkedHashMap<>(result);
    }

    synchronized String table() {
        StringBuilder table = new StringBuilder("\n");
        row(table, "operations", "operations");
        row(table, "  acknowledged", "acknowledged");
        row(table, "  never acknowledged, applied", "unacknowledgedApplied");
        row(table, "  never acknowledged, not applied", "unacknowledgedNew");
        row(table, "requests", "requests");
        row(table, "kills of the application", "applicationKills");
        faults(table, Fault.Lane.APP);
        steps.forEach((step, count) -> row(table, "    " + step, count));
        row(table, "kills of PostgreSQL (the rest of its lane is none)", "postgresKills");
        faults(table, Fault.Lane.POSTGRES);
        row(table, "guarded COMMITs seen", "commitsSeen");
        row(table, "commits cut", "commitsCut");
        row(table, "statements of groups seen", "groupStatementsSeen");
        row(table, "statements of groups cut", "groupStatementsCut");
        intercepted.forEach((what, count) -> row(table, "  " + what, count));
        faults(table, Fault.Lane.DATABASE_NETWORK);
        faults(table, Fault.Lane.CLIENT_NETWORK);
        row(table, "seconds", "seconds");
        faults(table, Fault.Lane.LOAD);
        row(table, "refreshes of the filters", "refreshes");
        row(table, "arenas added by growth", "arenasAddedLarger");
        row(table, "arenas added by shrinking", "arenasAddedSmaller");
        row(table, "arenas dropped", "arenasDropped");
        row(table, "warnings of no room to grow", "warningsOfNoRoomToGrow");
        missed.forEach((fault, count) -> row(table, "missed: " + fault, count));
        row(table, "in doubt, settled as applied", "inDoubtSettledAsApplied");
        row(table, "in doubt, settled as new", "inDoubtSettledAsNew");
        row(table, "false positives expected", "falsePositivesExpected");
        row(table, "false positives seen", "falsePositivesSeen");
        row(table, "starts of the application after a kill", "recoveries");
        row(table, "  process start to first applied operation, ms", "medianStartMillis");
        row(table, "    longest", "longestStartMillis");
        row(table, "  first response to first applied operation, ms", "medianUntilAppliedMillis");
        row(table, "    longest", "longestUntilAppliedMillis");
        row(table, "starts that nothing else was done to", "recoveriesLeftAlone");
        row(table, "  first response to first applied operation, ms", "medianUntilAppliedLeftAloneMillis");
        row(table, "    longest", "longestUntilAppliedLeftAloneMillis");
        row(table, "operations refused while ready", "refusedWhileReady");
        row(table, "lives of the crash loop", "lives");
        row(table, "  fewest operations applied in one", "fewestAppliedInALife");
        row(table, "longest recovery of PostgreSQL, ms", "longestPostgresRecoveryMillis");
        row(table, "counters with a wrong value", "wrongValues");
        row(table, "groups committed", "groups");
        row(table, "  operations in them", "operationsInGroups");
        row(table, "  mean size", "meanGroupSize");
        row(table, "  largest", "largestGroup");
        row(table, "groups of several", "groupsOfSeveral");
        row(table, "  operations in them", "operationsInGroupsOfSeveral");
        tallies.forEach((target, tally) -> {
            String name = target.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            row(table, "acknowledged, on " + name, tally.acknowledged());
            row(table, "  LOST", tally.lost());
            row(table, "  DOUBLED", tally.doubled());
        });
        row(table, "LOST", "lost");
        row(table, "DOUBLED", "doubled");
        return table.toString();
    }

    private void faults(StringBuilder table, Fault.Lane lane) {
        happened.forEach((fault, count) -> {
            if (fault.lane() == lane) {
                row(table, "  " + fault, count);
            }
        });
    }

    private void row(StringBuilder table, String name, String key) {
        row(table, name, result.getOrDefault(key, 0));
    }

    private static void row(StringBuilder table, String name, Object count) {
        String number = count instanceof Double fraction
                ? String.format(Locale.ROOT, fraction < 1 ? "%,.9f" : "%,.2f", fraction)
                : String.format(Locale.ROOT, "%,d", ((Number) count).longValue());
        table.append(String.format(Locale.ROOT, "  %-50s %14s%n", name, number));
    }
}
