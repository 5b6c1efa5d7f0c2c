package dev.fbf.db;

import java.time.Duration;

/**
 * Outcomes of the operations that the previous process left in doubt.
 *
 * @param applied the number of applied operations
 * @param notApplied the number of operations that were not applied; a retry applies them
 * @param unknown the number of operations whose outcome the witness cannot determine
 * @param took the time from the first attempt to the last of these outcomes; the sum if there were several recoveries
 */
public record Recovery(int applied, int notApplied, int unknown, Duration took) {

    /** No outcomes. */
    public static final Recovery NONE = new Recovery(0, 0, 0, Duration.ZERO);

    public int operations() {
        return applied + notApplied + unknown;
    }

    public Recovery plus(Recovery other) {
        return new Recovery(
                applied + other.applied, notApplied + other.notApplied, unknown + other.unknown, took.plus(other.took));
    }
}
