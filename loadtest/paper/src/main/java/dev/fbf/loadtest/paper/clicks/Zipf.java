package dev.fbf.loadtest.paper.clicks;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws ranks, the first the most often: rank r with a probability in proportion to r to the power of −s. */
final class Zipf {

    private final double[] upTo;

    /**
     * Prepares ranks from 0 to {@code ranks} − 1.
     *
     * @param exponent s
     */
    Zipf(int ranks, double exponent) {
        upTo = new double[ranks];
        double sum = 0;
        for (int rank = 0; rank < ranks; rank++) {
            sum += Math.pow(rank + 1.0, -exponent);
            upTo[rank] = sum;
        }
    }

    int draw(SplittableRandom random) {
        int found = Arrays.binarySearch(upTo, random.nextDouble() * upTo[upTo.length - 1]);
        return found < 0 ? -found - 1 : found;
    }
}
