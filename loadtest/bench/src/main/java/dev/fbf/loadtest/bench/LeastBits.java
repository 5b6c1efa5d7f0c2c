package dev.fbf.loadtest.bench;

import dev.fbf.core.plan.ExactModel;
import dev.fbf.core.plan.Spread;

/**
 * How few bits an operation can do with, by each rule. By the exact model, which the core's tests hold against counted
 * false positives.
 */
final class LeastBits {

    private static final int LINE_BITS = 512;
    private static final int LANE_BITS = 8;
    private static final int MAX_LINES = 12;
    private static final int MAX_PROBES = 4;

    private LeastBits() {}

    /** The least that SINGLE needs over the least that PAPER needs, for the same probability and window. */
    static double singleOverPaper(double probability, int past) {
        return least(probability, (spread, load) -> ExactModel.single(spread, load, past, 1))
                / least(probability, (spread, load) -> ExactModel.paper(spread, load, past, 1));
    }

    private static double least(double probability, Fpp rule) {
        double least = Double.MAX_VALUE;
        for (int lines = 1; lines <= MAX_LINES; lines++) {
            for (int probes = 1; probes <= MAX_PROBES; probes++) {
                Spread spread = new Spread(lines, probes, LINE_BITS / LANE_BITS);
                least = Math.min(least, lines * LINE_BITS / highestLoad(probability, rule, spread));
            }
        }
        return least;
    }

    /** The most elements of a period that a line can bear. */
    private static double highestLoad(double probability, Fpp rule, Spread spread) {
        double low = 0;
        double high = 4.0 * spread.slots();
        for (int i = 0; i < 50; i++) {
            double load = (low + high) / 2;
            if (rule.of(spread, load) <= probability) {
                low = load;
            } else {
                high = load;
            }
        }
        return low;
    }

    private interface Fpp {
        double of(Spread spread, double elementsPerLine);
    }
}
