package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run.Findings;
import dev.fbf.loadtest.harness.Sheet;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts what was done to a system and what came of it. Thread-safe while the torture goes on. */
final class Report {

    /** Kinds of what is counted. */
    static final String FAULTS = "faults";

    static final String STEPS = "kills at a step";
    static final String STEPS_MISSED = "steps that no thread came to in time";
    static final String MISSED = "faults that could not happen";

    /** A step that is missed so often, and never hit, is none of the product's any more. */
    private static final int MISSES = 5;

    private final Map<String, Map<String, Long>> counts = new TreeMap<>();
    private final List<Start> starts = new ArrayList<>();
    private final List<Start> startsLeftAlone = new ArrayList<>();
    private final List<Long> lives = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    void count(String kind, Object what) {
        add(kind, what, 1);
    }

    synchronized void add(String kind, Object what, long number) {
        counts.computeIfAbsent(kind, none -> new TreeMap<>()).merge(what.toString(), number, Long::sum);
    }

    /**
     * An application was started after a kill.
     *
     * @param leftAlone whether nothing else was done to the system meanwhile
     */
    synchronized void started(Start start, boolean leftAlone) {
        starts.add(start);
        if (leftAlone) {
            startsLeftAlone.add(start);
        }
    }

    /** Records how many operations the applications applied between a start and the next kill. */
    synchronized void lived(long applied) {
        lives.add(applied);
    }

    synchronized void failIf(boolean fails, String why) {
        if (fails) {
            failures.add(why);
        }
    }

    /** Whether clients waited no longer than they may after a kill, and every life has counted. */
    synchronized boolean isRecoveryPassed(Duration bound) {
        return targets(bound).stream().allMatch(Target::met)
                && starts.stream().allMatch(start -> start.refusedWhileReady() == 0)
                && lives.stream().allMatch(applied -> applied > 0);
    }

    /** Returns no targets if every start was disturbed, as in a short run. */
    synchronized List<Target> targets(Duration bound) {
        if (startsLeftAlone.isEmpty()) {
            return List.of();
        }
        String wait = "first response to first applied operation after a kill, ms: ";
        return List.of(
                Target.atMost(wait + "median", bound.toMillis() / 5.0, (double) percentile(startsLeftAlone, 0.5)),
                Target.atMost(wait + "longest", (double) bound.toMillis(), (double) percentile(startsLeftAlone, 1)));
    }

    /** Returns a percentile of the time from the first response to the first applied operation, in milliseconds; 0 without starts. */
    private static long percentile(List<Start> starts, double share) {
        long[] sorted = starts.stream()
                .mapToLong(start -> start.untilApplied().toMillis())
                .sorted()
                .toArray();
        return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    synchronized Findings conclude(
            History history, Fleet fleet, Verdict verdict, List<Target> targets, Map<String, String> servers) {
        failIf(!verdict.passed(), "operations are lost, doubled or foreign, or counters wrong: " + verdict.total());
        counts.getOrDefault(STEPS_MISSED, Map.of())
                .forEach((step, misses) -> failIf(
                        misses >= MISSES
                                && !counts.getOrDefault(STEPS, Map.of()).containsKey(step),
                        "no kill at step " + step));
        Sheet sheet = new Sheet();
        sheet.add("seconds", history.millis() / 1_000);
        sheet.add("operations", history.operations());
        sheet.add("acknowledged", history.acknowledged());
        sheet.add("never acknowledged, applied", verdict.unacknowledgedApplied);
        sheet.add("never acknowledged, not applied", verdict.unacknowledgedNew);
        sheet.add("given up", fleet.abandoned());
        sheet.add("requests", history.requests());
        sheet.addAll("outcomes", history.outcomes());
        counts.forEach(sheet::addAll);
        if (!starts.isEmpty()) {
            addStarts(sheet);
        }
        sheet.add("counters with a wrong value", verdict.wrongValues.size());
        sheet.add("applications of what nobody sent", verdict.foreign.size());
        verdict.tallies.forEach((target, tally) -> sheet.add("acknowledged, on " + target, tally.acknowledged()));
        sheet.add("lost", verdict.total().lost());
        sheet.add("doubled", verdict.total().doubled());
        return new Findings(sheet.json(), sheet.table(), targets, List.copyOf(failures), servers);
    }

    private void addStarts(Sheet sheet) {
        String wait = "first response to first applied operation, ms";
        sheet.add("starts of the application after a kill", starts.size());
        addTimes(sheet, starts, wait);
        sheet.add("starts that nothing else was done to", startsLeftAlone.size());
        addTimes(sheet, startsLeftAlone, "of those: " + wait);
        sheet.add(
                "operations refused while ready",
                starts.stream().mapToInt(Start::refusedWhileReady).sum());
        sheet.add("lives of the crash loop", lives.size());
        sheet.add(
                "fewest operations applied in one",
                lives.stream().mapToLong(Long::longValue).min().orElse(0));
    }

    private static void addTimes(Sheet sheet, List<Start> starts, String name) {
        sheet.add(name + ", median", percentile(starts, 0.5));
        sheet.add(name + ", longest", percentile(starts, 1));
    }
}
