package dev.fbf.loadtest.paper.clicks;

/**
 * The errors of a contender.
 *
 * @param clicks the new clicks that it was asked about
 * @param lost those of them that were never taken for new, not even when a duplicate of theirs came
 * @param duplicates the duplicates that it was asked about
 * @param missed those of them that were taken for new, although their click had been before
 */
record Errors(long clicks, long lost, long duplicates, long missed) {

    /** Both kinds together, among all arrivals. */
    double share() {
        return (double) (lost + missed) / Math.max(1, clicks + duplicates);
    }

    double lostShare() {
        return (double) lost / Math.max(1, clicks);
    }

    double missedShare() {
        return (double) missed / Math.max(1, duplicates);
    }
}
