package dev.fbf.db;

import java.time.Duration;

/**
 * Outcomes of the operations that the previous process left in doubt.
 *
 * @param applied the number of applied operations
 * @param notApplied the number of operations that were not applied; a retry applies them
 * @param unknown the number of operations whose outcome the witness cannot determine
 * @param connectionsEnded the number of the previous process's connections that were still open and were terminated
 * @param took the time from the first attempt to the last of these outcomes; the sum if there were several recoveries
 */
public record Recovery(int applied, int notApplied, int unknown, int connectionsEnded, Duration took) {

    /** No outcomes. */
    public static final Recovery NONE = new Recovery(0, 0, 0, 0, Duration.ZERO);

    public int operations() {
        return applied + notApplied + unknown;
    }

    public Recovery plus(Recovery other) {
        return new Recovery(
                applied + other.applied,
                notApplied + other.notApplied,
                unknown + other.unknown,
                connectionsEnded + other.connectionsEnded,
                took.plus(other.took));
    }

    public Recovery plus(TransactionOutcome outcome, int operations) {
        return switch (outcome) {
            case COMMITTED -> new Recovery(applied + operations, notApplied, unknown, connectionsEnded, took);
            case NOT_COMMITTED -> new Recovery(applied, notApplied + operations, unknown, connectionsEnded, took);
            case UNKNOWN -> new Recovery(applied, notApplied, unknown + operations, connectionsEnded, took);
            case STILL_RUNNING -> this;
        };
    }

    public Recovery plusConnectionsEnded(int count) {
        return new Recovery(applied, notApplied, unknown, connectionsEnded + count, took);
    }

    public Recovery within(Duration time) {
        return new Recovery(applied, notApplied, unknown, connectionsEnded, time);
    }
}
