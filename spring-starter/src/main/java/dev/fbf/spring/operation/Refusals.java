package dev.fbf.spring.operation;

import static dev.fbf.spring.OperationOutcome.HELD_BACK;
import static dev.fbf.spring.OperationOutcome.IN_DOUBT;
import static dev.fbf.spring.OperationOutcome.IN_PROGRESS;
import static dev.fbf.spring.OperationOutcome.KEY_REUSED;
import static dev.fbf.spring.OperationOutcome.NO_ROOM;
import static dev.fbf.spring.OperationOutcome.RECOVERING;
import static dev.fbf.spring.OperationOutcome.REPLAYED;
import static dev.fbf.spring.OperationOutcome.STOPPED;
import static dev.fbf.spring.OperationOutcome.UNREACHABLE;

import dev.fbf.core.DurationText;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Exceptions for the reasons not to apply an operation. */
public final class Refusals {

    private Refusals() {}

    /**
     * Reason in words.
     *
     * @param why the reason for all readers
     * @param more an addition for the application and its logs; empty if there is none
     */
    private record Reason(OperationOutcome outcome, String why, String more) {

        OperationRefusedException in(@Nullable String scope, @Nullable Duration retryAfter, @Nullable Throwable cause) {
            return OperationRefusedException.of(
                    outcome,
                    scope,
                    (scope == null ? "No guarded method was reached: " : "") + why + more,
                    StringUtils.capitalize(why) + ". "
                            + (outcome.isRetryable()
                                    ? "Retry with the same key."
                                    : "Send a new operation with a new key."),
                    retryAfter,
                    cause);
        }
    }

    /**
     * Creates the exception for a refusal.
     *
     * @param scope the scope; null if the request did not reach a guarded method
     * @param cause the exception from the attempt to apply the operation; null if there was none
     */
    public static OperationRefusedException of(Refusal refusal, @Nullable String scope, @Nullable Throwable cause) {
        return reason(refusal, cause == null ? "" : ": " + cause.getMessage()).in(scope, null, cause);
    }

    private static Reason reason(Refusal refusal, String cause) {
        return switch (refusal) {
            case APPLIED ->
                new Reason(
                        IN_DOUBT,
                        "the operation was applied, but its response was not kept; a retry gets the response for"
                                + " duplicates",
                        "");
            case IN_PROGRESS -> new Reason(IN_PROGRESS, "another request is applying the same operation", "");
            case IN_DOUBT -> new Reason(IN_DOUBT, "whether the operation was applied is not known yet", "");
            case LOST ->
                new Reason(
                        IN_DOUBT,
                        "the operation was applied, but the database has lost commits since, and whether this one is"
                                + " among them is not known yet",
                        "; an operator decides, at the endpoint fbf");
            case OVERFULL ->
                new Reason(
                        IN_DOUBT,
                        "the filter is overfull and has too many false positives; it is unknown whether this operation"
                                + " was applied",
                        " (the log and the health indicator fbf have the reason)");
            case NO_ROOM -> new Reason(NO_ROOM, "the limit of concurrent operations is reached", " (fbf.max-claims)");
            case TIMEOUT ->
                new Reason(
                        NO_ROOM,
                        "the operation was not applied in time, because too many operations are queued or another"
                                + " transaction has locked the counter's row",
                        " (fbf.counters.timeout)");
            case CONFLICT ->
                new Reason(
                        NO_ROOM,
                        "each attempt to commit the operation failed because of conflicts with other transactions",
                        "");
            case RECOVERING -> new Reason(RECOVERING, "the outcome of earlier transactions is not known yet", "");
            case HELD_BACK -> heldBack("");
            case OTHER_NODE ->
                new Reason(
                        HELD_BACK,
                        "another process applies the operations of this scope",
                        " (the log and the health indicator fbf name it)");
            case UNCONFIRMED ->
                new Reason(
                        UNREACHABLE,
                        "the database has not confirmed in time that this process may apply operations, so the"
                                + " operation was not applied now",
                        "; retry in a few seconds (the log and the health indicator fbf have the reason)");
            case UNREACHABLE ->
                new Reason(
                        UNREACHABLE, "the database could not be reached, so the operation was not applied now", cause);
            case UNRECORDABLE ->
                new Reason(
                        UNREACHABLE,
                        "the database does not accept records of operations now, so the operation was not applied",
                        cause);
            case STOPPED -> new Reason(STOPPED, "the application is stopping", "");
            case FAILED ->
                new Reason(
                        STOPPED,
                        "a file of fbf has failed, so no operation is applied",
                        " (the log and the health indicator fbf have the reason)");
        };
    }

    /**
     * @param time the remaining time, in words; empty if it is unknown
     */
    private static Reason heldBack(String time) {
        return new Reason(
                HELD_BACK,
                "operations are held back" + time
                        + ", because retries of operations that this process does not remember may still arrive",
                "; the log and the health indicator fbf have the reason");
    }

    /**
     * Creates the exception for operations that are held back.
     *
     * @param time the remaining time; zero if it is unknown
     */
    public static OperationRefusedException heldBack(String scope, Duration time) {
        return time.isZero()
                ? of(Refusal.HELD_BACK, scope, null)
                : heldBack(" for " + DurationText.of(inSeconds(time))).in(scope, time, null);
    }

    /** Returns the time, rounded up to seconds. */
    private static Duration inSeconds(Duration time) {
        return Duration.ofSeconds(time.plusSeconds(1).minusNanos(1).toSeconds());
    }

    /** Creates the exception for an operation that was applied for another request. */
    static OperationRefusedException keyReused(String scope) {
        return new Reason(KEY_REUSED, "an operation with this idempotency key was applied, for another request", "")
                .in(scope, null, null);
    }

    /** Creates the exception for a duplicate without another response. */
    public static OperationRefusedException duplicate(String scope) {
        return OperationRefusedException.of(
                REPLAYED,
                scope,
                "the operation was applied before, and there is no result in its place",
                "The operation was applied before.");
    }
}
