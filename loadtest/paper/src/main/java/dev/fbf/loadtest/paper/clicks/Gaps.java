package dev.fbf.loadtest.paper.clicks;

import java.util.SplittableRandom;

/**
 * The time from a click to its duplicate, in seconds. There are three causes, each with a scale of its own, so that a
 * structure that forgets early does not miss all duplicates or none:
 *
 * <ul>
 *   <li>half are double clicks: log-normal with a median of 0.4 s; nine in ten come within a second.
 *   <li>35 % are retries of a client after a lost response: 1, 2, 4, 8, 16 or 32 s, with a jitter of a half, as of exponential
 *       back-off.
 *   <li>15 % are deliveries again by a queue after a consumer's crash, and replays: log-uniform from 30 s to the longest.
 * </ul>
 *
 * <p>The shares are an assumption. That short gaps prevail is to the benefit of structures that forget early.
 */
final class Gaps {

    /** The last duplicate comes this long after the click: retries end before the window, for which they are configured. */
    static final double LONGEST = 0.95 * Demand.WINDOW.toSeconds();

    private static final double DOUBLE_CLICKS = 0.5;
    private static final double RETRIES = 0.35;
    private static final double MEDIAN_DOUBLE_CLICK = 0.4;
    private static final double SPREAD_OF_DOUBLE_CLICKS = 0.7;
    private static final int DOUBLINGS = 6;
    private static final double SHORTEST_REDELIVERY = 30;

    private Gaps() {}

    static double draw(SplittableRandom random) {
        double cause = random.nextDouble();
        if (cause < DOUBLE_CLICKS) {
            return MEDIAN_DOUBLE_CLICK * Math.exp(SPREAD_OF_DOUBLE_CLICKS * random.nextGaussian());
        }
        if (cause < DOUBLE_CLICKS + RETRIES) {
            return (1 << random.nextInt(DOUBLINGS)) * (0.5 + random.nextDouble());
        }
        return SHORTEST_REDELIVERY * Math.pow(LONGEST / SHORTEST_REDELIVERY, random.nextDouble());
    }
}
