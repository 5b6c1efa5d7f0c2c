package dev.fbf.loadtest.torture.system;

import java.time.Duration;

/** Follows one filter from one look at it to the next. Thread-safe. */
final class FilterTally {

    private long firstBytes;
    private long bytes;
    private double fpp;
    private long operations;
    private Duration sinceRefresh = Duration.ZERO;
    private long refreshes;
    private long grown;
    private long shrunk;
    private double expectedFalsePositives;

    /**
     * Takes a look.
     *
     * @param newestBytes the size of the arena that gets new operations
     * @param estimatedFpp its own estimate of its false positive probability
     * @param refreshed how long ago that arena was refreshed
     * @param begun how many operations had begun by now
     */
    synchronized void look(long newestBytes, double estimatedFpp, Duration refreshed, long begun) {
        firstBytes = bytes == 0 ? newestBytes : firstBytes;
        grown += bytes > 0 && newestBytes > bytes ? 1 : 0;
        shrunk += newestBytes < bytes ? 1 : 0;
        refreshes += newestBytes == bytes && refreshed.compareTo(sinceRefresh) < 0 ? 1 : 0;
        // whenever between the two looks they came: the higher probability is not too low for them
        expectedFalsePositives += (begun - operations) * Math.max(fpp, estimatedFpp);
        bytes = newestBytes;
        fpp = estimatedFpp;
        operations = begun;
        sinceRefresh = refreshed;
    }

    synchronized double estimatedFpp() {
        return fpp;
    }

    /** Whether it has grown and not shrunk again. */
    synchronized boolean isLarge() {
        return bytes > firstBytes;
    }

    synchronized long refreshes() {
        return refreshes;
    }

    synchronized long grown() {
        return grown;
    }

    synchronized long shrunk() {
        return shrunk;
    }

    synchronized double expectedFalsePositives() {
        return expectedFalsePositives;
    }
}
