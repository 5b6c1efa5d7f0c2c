package dev.fbf.loadtest.torture.system;

import java.time.Duration;

/**
 * A start of an application, as its clients see it. All times are from the start of the process.
 *
 * @param firstResponse until it answered anything
 * @param ready until it said that it was ready
 * @param applied until it had applied an operation; if it was not asked to, the same as {@code ready}
 * @param refusedWhileReady how many operations it refused for what the process before it had left in doubt, though it said
 *     before and after that it was ready
 */
public record Start(Duration firstResponse, Duration ready, Duration applied, int refusedWhileReady) {

    /**
     * Returns how long clients had to wait for their first operation.
     *
     * @return the time from the first response to the first applied operation
     */
    public Duration untilApplied() {
        return applied.minus(firstResponse);
    }
}
