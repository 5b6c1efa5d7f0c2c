package dev.fbf.loadtest.harness;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Turns of contenders in one run: what else the machine does comes and goes, and meets all of them alike. */
public final class Rounds {

    private Rounds() {}

    /** Who has its turn when: each of them once in a round, which begins with another one than the round before. */
    public static <C> List<C> of(int rounds, Collection<? extends C> contenders) {
        List<C> round = new ArrayList<>(contenders);
        List<C> turns = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            turns.addAll(round);
            Collections.rotate(round, -1);
        }
        return turns;
    }

    /** The middle of what the turns gave: the number in the middle, or the mean of the two that are. */
    public static double median(Collection<Double> numbers) {
        double[] sorted =
                numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
