package dev.fbf.spring.operation;

import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** The exception for each reason not to apply an operation. */
public final class Refusals {

    private Refusals() {}

    /**
     * What the caller of a refused operation gets, unless it gets a replay.
     *
     * @param cause what was thrown when the operation was applied; null if nothing was
     */
    public static OperationRefusedException of(Refusal refusal, String scope, @Nullable Throwable cause) {
        return switch (refusal) {
            case APPLIED ->
                unavailable(
                        OperationOutcome.IN_DOUBT,
                        scope,
                        "the operation was applied, but its result is lost; a retry gets the response of a retry",
                        "",
                        cause);
            case IN_PROGRESS -> inProgress(scope);
            case IN_DOUBT ->
                unavailable(
                        OperationOutcome.IN_DOUBT,
                        scope,
                        "whether the operation was applied is not known yet",
                        "",
                        cause);
            case LOST ->
                unavailable(
                        OperationOutcome.IN_DOUBT,
                        scope,
                        "the operation was applied, but the database has lost commits since, and whether this one is among them"
                                + " is not known yet",
                        "; an operator decides, at the endpoint fbf",
                        cause);
            case OVERFULL ->
                unavailable(
                        OperationOutcome.IN_DOUBT,
                        scope,
                        "the filter is overfull, so that it takes new operations for applied ones; whether this one was applied is"
                                + " not known",
                        " (the log and health name the reason)",
                        cause);
            case NO_ROOM ->
                unavailable(
                        OperationOutcome.NO_ROOM,
                        scope,
                        "as many operations as there is room for are being applied",
                        " (fbf.max-claims)",
                        cause);
            case TIMEOUT ->
                unavailable(
                        OperationOutcome.NO_ROOM,
                        scope,
                        "more operations wait to be applied than could be in time, or another transaction has locked the"
                                + " counter's row",
                        " (fbf.counters.timeout)",
                        cause);
            case CONFLICT ->
                unavailable(
                        OperationOutcome.NO_ROOM,
                        scope,
                        "other transactions kept the operation from committing, each time that it was tried",
                        "",
                        cause);
            case RECOVERING ->
                unavailable(
                        OperationOutcome.RECOVERING,
                        scope,
                        "the outcome of earlier transactions is not known yet",
                        "",
                        cause);
            case HELD_BACK -> heldBack(scope, Duration.ZERO);
            case OTHER_NODE ->
                unavailable(
                        OperationOutcome.HELD_BACK,
                        scope,
                        "another process applies the operations, so that this one does not",
                        " (the log and the health indicator fbf name it)",
                        cause);
            case UNCONFIRMED ->
                unavailable(
                        OperationOutcome.UNREACHABLE,
                        scope,
                        "the database has not confirmed in time that this process may apply operations, so that the operation was"
                                + " not applied now",
                        " (the log and the health indicator fbf say why)",
                        cause);
            case UNREACHABLE -> unreachable(scope, cause);
            case UNRECORDABLE ->
                unavailable(
                        OperationOutcome.UNREACHABLE,
                        scope,
                        "the database does not let operations be recorded now, so that this one was not applied",
                        cause == null ? "" : ": " + cause.getMessage(),
                        cause);
            case STOPPED -> unavailable(OperationOutcome.STOPPED, scope, "the application is stopping", "", cause);
            case FAILED ->
                unavailable(
                        OperationOutcome.STOPPED,
                        scope,
                        "a file of fbf has failed, so that no operation is applied",
                        " (the log and health name the reason)",
                        cause);
        };
    }

    /**
     * Operations are held back.
     *
     * @param time until that is over
     */
    public static OperationRefusedException heldBack(String scope, Duration time) {
        return unavailable(
                OperationOutcome.HELD_BACK,
                scope,
                "operations are held back" + (time.isZero() ? "" : " for " + seconds(time) + " s")
                        + ", because retries may still arrive of operations that this process does not remember",
                "; the log and the health indicator fbf say why",
                time.isZero() ? null : time,
                null);
    }

    /**
     * Keys that carry a time cannot be judged here.
     *
     * @param ahead how far this host's clock is ahead of the database's
     */
    public static OperationRefusedException wrongClock(String scope, Duration ahead) {
        return unavailable(
                OperationOutcome.HELD_BACK,
                scope,
                "the clock of this host is " + seconds(ahead.abs()) + " s "
                        + (ahead.isNegative() ? "behind" : "ahead of")
                        + " the database's, so that no operation is applied here whose key carries a time, until the clock is set",
                " (fbf.key.max-skew; the log and the health indicator fbf name the host)",
                null);
    }

    /** Rounded up. */
    private static long seconds(Duration time) {
        return time.plusSeconds(1).minusNanos(1).toSeconds();
    }

    /**
     * The database could not be reached.
     *
     * @param scope null if that was before the request reached a guarded method
     * @param cause what was thrown; null if nothing was
     */
    public static OperationRefusedException unreachable(@Nullable String scope, @Nullable Throwable cause) {
        return unavailable(
                OperationOutcome.UNREACHABLE,
                scope,
                "the database could not be reached, so that the operation was not applied now",
                cause == null ? "" : ": " + cause.getMessage(),
                cause);
    }

    /** No permit for a connection was free in time. */
    public static OperationRefusedException noConnection(String scope) {
        return unavailable(
                OperationOutcome.NO_ROOM,
                scope,
                "operations hold all connections of the pool that the scope may use, so that this one was not applied now",
                "; look for slow methods, or raise the pool's size (spring.datasource.hikari.maximum-pool-size)",
                null);
    }

    /** The body of a request cannot be stored, before it reaches a guarded method. */
    public static OperationRefusedException noRoomForBody(String more, Throwable cause) {
        return unavailable(OperationOutcome.NO_ROOM, null, "the body of the request cannot be stored", more, cause);
    }

    /** Another call is applying the same operation. */
    public static OperationRefusedException inProgress(String scope) {
        return OperationRefusedException.of(
                OperationOutcome.IN_PROGRESS,
                scope,
                "another request is applying the same operation",
                "Another request is applying the same operation.");
    }

    /** The operation was applied for another request. */
    public static OperationRefusedException keyReused(String scope) {
        return OperationRefusedException.of(
                OperationOutcome.KEY_REUSED,
                scope,
                "an operation with this idempotency key was applied, for another request",
                "An operation with this idempotency key was applied, for another request.");
    }

    /** The operation was applied before, and nothing responds in its stead. */
    public static OperationRefusedException duplicate(String scope) {
        return OperationRefusedException.of(
                OperationOutcome.REPLAYED,
                scope,
                "the operation was applied before, and it has no onDuplicate method",
                "The operation was applied before.");
    }

    private static OperationRefusedException unavailable(
            OperationOutcome reason, @Nullable String scope, String why, String more, @Nullable Throwable cause) {
        return unavailable(reason, scope, why, more, null, cause);
    }

    /**
     * @param why for everybody
     * @param more for the application and its logs alone; empty if there is nothing to add
     */
    private static OperationRefusedException unavailable(
            OperationOutcome reason,
            @Nullable String scope,
            String why,
            String more,
            @Nullable Duration retryAfter,
            @Nullable Throwable cause) {
        return OperationRefusedException.of(
                reason,
                scope,
                (scope == null ? "No guarded method was reached: " : "") + why + more,
                StringUtils.capitalize(why) + ".",
                retryAfter,
                cause);
    }
}
