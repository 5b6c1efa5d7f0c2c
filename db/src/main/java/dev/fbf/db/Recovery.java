package dev.fbf.db;

import java.time.Duration;

/**
 * Outcomes of the operations that the previous process left in doubt.
 *
 * @param applied how many were applied
 * @param notApplied how many were not, and are new again
 * @param unknown how many the witness cannot decide: an operator has to
 * @param connectionsEnded how many of the last process's connections were ended, because they were still open
 * @param took from the first attempt until the last of these outcomes
 */
public record Recovery(int applied, int notApplied, int unknown, int connectionsEnded, Duration took) {

    /** The previous process left no operation in doubt. */
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
