package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run.Findings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("seconds", history.millis() / 1_000);
        figures.put("operations", history.operations());
        figures.put("acknowledged", history.acknowledged());
        figures.put("never acknowledged, applied", verdict.unacknowledgedApplied);
        figures.put("never acknowledged, not applied", verdict.unacknowledgedNew);
        figures.put("given up", fleet.abandoned());
        figures.put("requests", history.requests());
        figures.put("outcomes", history.outcomes());
        counts.forEach(figures::put);
        if (!starts.isEmpty()) {
            addStarts(figures);
        }
        figures.put("counters with a wrong value", verdict.wrongValues.size());
        figures.put("applications of what nobody sent", verdict.foreign.size());
        verdict.tallies.forEach((target, tally) -> figures.put("acknowledged, on " + target, tally.acknowledged()));
        figures.put("lost", verdict.total().lost());
        figures.put("doubled", verdict.total().doubled());
        return new Findings(figures, table(figures), targets, List.copyOf(failures), servers);
    }

    private void addStarts(Map<String, Object> figures) {
        String wait = "first response to first applied operation, ms";
        figures.put("starts of the application after a kill", starts.size());
        addTimes(figures, starts, wait);
        figures.put("starts that nothing else was done to", startsLeftAlone.size());
        addTimes(figures, startsLeftAlone, "of those: " + wait);
        figures.put(
                "operations refused while ready",
                starts.stream().mapToInt(Start::refusedWhileReady).sum());
        figures.put("lives of the crash loop", lives.size());
        figures.put(
                "fewest operations applied in one",
                lives.stream().mapToLong(Long::longValue).min().orElse(0));
    }

    private static void addTimes(Map<String, Object> figures, List<Start> starts, String name) {
        figures.put(name + ", median", percentile(starts, 0.5));
        figures.put(name + ", longest", percentile(starts, 1));
    }

    /** A line for each figure, and for each count of a kind. */
    private static String table(Map<String, Object> figures) {
        Map<String, Object> lines = new LinkedHashMap<>();
        figures.forEach((name, figure) -> {
            if (figure instanceof Map<?, ?> counts) {
                counts.forEach((what, count) -> lines.put(name + ": " + what, count));
            } else {
                lines.put(name, figure);
            }
        });
        return "\n" + Table.of(lines.entrySet()).text("", Map.Entry::getKey).number("", "%,d", Map.Entry::getValue);
    }
}
