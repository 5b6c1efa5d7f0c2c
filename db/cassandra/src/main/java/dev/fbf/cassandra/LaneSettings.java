package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import java.time.Duration;

/**
 * Settings of a scope's counters.
 *
 * @param scope the scope's name, as {@link OperationId#SCOPE} allows
 * @param lanes the number of partitions for the scope's operations, 1 to 64; use one until it limits the throughput
 * @param plan the filter's plan, which includes the retry window
 * @param consistency the consistency level of commits and reads
 * @param timeout the timeout of a request to Cassandra
 * @param groupTimeout the time in which a group is retried; then its callers are refused, or get an
 *     unknown outcome
 * @param maxClaims the maximum number of operations in progress, 1 to 1,000,000
 */
public record LaneSettings(
        String scope,
        int lanes,
        FilterPlan plan,
        Consistency consistency,
        Duration timeout,
        Duration groupTimeout,
        int maxClaims) {

    private static final int MOST_LANES = 64;
    private static final int MOST_CLAIMS = 1_000_000;

    /** Margin for operations in progress when a process ends: the retry window begins after they ended. */
    private static final Duration KEPT_LONGER = Duration.ofSeconds(10);

    /**
     * Validates the values.
     *
     * @throws IllegalArgumentException if a value is outside its range
     */
    public LaneSettings {
        if (!OperationId.SCOPE.matcher(scope).matches()) {
            throw new IllegalArgumentException("scope=" + scope + ": must match " + OperationId.SCOPE);
        }
        between("lanes", lanes, MOST_LANES);
        between("maxClaims", maxClaims, MOST_CLAIMS);
    }

    /**
     * Creates the settings of a scope with one lane and defaults for everything else: {@link Consistency#QUORUM}, 2 seconds per request, 5
     * per group, and 10,000 operations in progress.
     */
    public LaneSettings(String scope, FilterPlan plan) {
        this(scope, 1, plan, Consistency.QUORUM, Duration.ofSeconds(2), Duration.ofSeconds(5), 10_000);
    }

    /** Returns the time to live of a group's row, in seconds: the retry window, the group's timeout and {@link #KEPT_LONGER}. */
    int secondsKept() {
        Duration kept = plan.stated().retryWindow().plus(groupTimeout).plus(KEPT_LONGER);
        return Math.toIntExact(kept.toSeconds() + 1);
    }

    private static void between(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + "=" + value + ": must be from 1 to " + most);
        }
    }
}
