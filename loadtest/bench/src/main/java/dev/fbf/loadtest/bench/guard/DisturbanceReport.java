package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.Medians;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a run found.
 *
 * @param turns all turns, as they came
 */
record DisturbanceReport(List<Turn> turns) {

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

    /** Each disturbance over none, and our groups over the unguarded UPDATE; PostgreSQL is to find no deadlock. */
    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (GuardContender ours : OURS) {
            add(targets, ours, Disturbance.LOCKED_ROW, ours, Disturbance.NONE, 0.9);
            add(targets, ours, Disturbance.UNKNOWN_NAMES, ours, Disturbance.NONE, 0.8);
            add(targets, ours, Disturbance.OWN_TRANSACTIONS, GuardContender.UPDATE, Disturbance.OWN_TRANSACTIONS, 0.8);
        }
        return targets;
    }

    private void add(
            List<Target> targets,
            GuardContender contender,
            Disturbance disturbance,
            GuardContender other,
            Disturbance otherDisturbance,
            double bound) {
        double ofMedians = median(contender, disturbance) / median(other, otherDisturbance);
        String name = contender + " " + disturbance;
        targets.add(Target.atLeast(name + " over " + other + " " + otherDisturbance, bound, ofMedians));
        long deadlocks = turnsOf(contender, disturbance).stream()
                .mapToLong(Turn::deadlocks)
                .sum();
        targets.add(Target.atMost(name + ": deadlocks", 0, (double) deadlocks));
    }

    private double median(GuardContender contender, Disturbance disturbance) {
        return Medians.of(
                turnsOf(contender, disturbance).stream().map(Turn::perSecond).toList());
    }

    private List<Turn> turnsOf(GuardContender contender, Disturbance disturbance) {
        return turns.stream()
                .filter(turn -> turn.contender() == contender && turn.disturbance() == disturbance)
                .toList();
    }

    /** For people. */
    String table() {
        StringBuilder table = new StringBuilder("\n");
        for (GuardContender contender : GuardContender.values()) {
            for (Disturbance disturbance : Disturbance.values()) {
                List<Turn> its = turnsOf(contender, disturbance);
                if (!its.isEmpty()) {
                    table.append(String.format(
                            Locale.ROOT,
                            "%-16s %-17s %,9.0f/s  %s%n",
                            contender,
                            disturbance,
                            median(contender, disturbance),
                            disturbance.description()));
                }
            }
        }
        return table.toString();
    }
}
