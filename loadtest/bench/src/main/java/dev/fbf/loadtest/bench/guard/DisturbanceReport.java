package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Medians;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a run found.
 *
 * @param environment what it ran on
 * @param threads how many threads added
 * @param turns all turns, as they came
 * @param ratios what is compared
 */
record DisturbanceReport(Environment environment, int threads, List<Turn> turns, List<Ratio> ratios) {

    /** The contenders that add to fbf's counters. */
    static final List<GuardContender> OURS = List.of(GuardContender.COUNTERS, GuardContender.COUNTERS_LEDGER);

    /**
     * One contender's.
     *
     * @param contender who adds
     * @param disturbance what goes on
     * @param perSecond how many of what is counted were done in a second
     * @param deadlocks that PostgreSQL found
     */
    record Turn(GuardContender contender, Disturbance disturbance, double perSecond, long deadlocks) {}

    /**
     * One over another.
     *
     * @param name of what is compared
     * @param ofMedians the ratio of the medians
     * @param target what we want it to be
     * @param met whether it is
     * @param deadlocks of all turns; there are to be none
     */
    record Ratio(String name, double ofMedians, Target target, boolean met, long deadlocks) {}

    static DisturbanceReport of(Environment environment, int threads, List<Turn> turns) {
        List<Ratio> ratios = new ArrayList<>();
        for (GuardContender ours : OURS) {
            ratios.add(ratio(turns, ours, Disturbance.LOCKED_ROW, ours, Disturbance.NONE, 0.9));
            ratios.add(ratio(turns, ours, Disturbance.UNKNOWN_NAMES, ours, Disturbance.NONE, 0.8));
            ratios.add(ratio(
                    turns,
                    ours,
                    Disturbance.OWN_TRANSACTIONS,
                    GuardContender.UPDATE,
                    Disturbance.OWN_TRANSACTIONS,
                    0.8));
        }
        return new DisturbanceReport(environment, threads, turns, ratios);
    }

    private static Ratio ratio(
            List<Turn> turns,
            GuardContender contender,
            Disturbance disturbance,
            GuardContender other,
            Disturbance otherDisturbance,
            double bound) {
        double ofMedians = median(turns, contender, disturbance) / median(turns, other, otherDisturbance);
        Target target = Target.atLeast(bound);
        long deadlocks = turnsOf(turns, contender, disturbance).stream()
                .mapToLong(Turn::deadlocks)
                .sum();
        return new Ratio(
                contender + " " + disturbance + " over " + other + " " + otherDisturbance,
                ofMedians,
                target,
                target.admits(ofMedians) && deadlocks == 0,
                deadlocks);
    }

    private static double median(List<Turn> turns, GuardContender contender, Disturbance disturbance) {
        return Medians.of(turnsOf(turns, contender, disturbance).stream()
                .map(Turn::perSecond)
                .toList());
    }

    private static List<Turn> turnsOf(List<Turn> turns, GuardContender contender, Disturbance disturbance) {
        return turns.stream()
                .filter(turn -> turn.contender() == contender && turn.disturbance() == disturbance)
                .toList();
    }

    /** For people. */
    String table() {
        StringBuilder table = new StringBuilder("\n" + environment + ", " + threads + " threads\n\n");
        for (GuardContender contender : GuardContender.values()) {
            for (Disturbance disturbance : Disturbance.values()) {
                List<Turn> its = turnsOf(turns, contender, disturbance);
                if (!its.isEmpty()) {
                    table.append(String.format(
                            Locale.ROOT,
                            "%-16s %-17s %,9.0f/s  %s%n",
                            contender,
                            disturbance,
                            median(turns, contender, disturbance),
                            disturbance.description()));
                }
            }
        }
        table.append('\n');
        for (Ratio ratio : ratios) {
            table.append(String.format(
                    Locale.ROOT,
                    "%-70s %5.2f  %s %s, %d deadlocks%n",
                    ratio.name(),
                    ratio.ofMedians(),
                    ratio.target(),
                    ratio.met() ? "met" : "missed",
                    ratio.deadlocks()));
        }
        return table.toString();
    }
}
