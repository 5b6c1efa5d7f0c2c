package dev.fbf.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * Whether the operation was applied is not known, or it cannot be applied now. A retry with the same key is safe. Over
 * HTTP: 503 with {@code Retry-After}.
 */
public final class OperationUnavailableException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    static final String NOT_KNOWN = "whether the operation was applied is not known yet";
    static final String RECOVERING = "the outcome of earlier transactions is not known yet";

    /**
     * Makes one.
     *
     * @param why for everybody
     * @param more for the application and its logs alone; empty if there is nothing to add
     */
    OperationUnavailableException(
            OperationOutcome outcome, String scope, String why, String more, @Nullable Throwable cause) {
        super(outcome, "scope=" + scope + ": " + why + more, StringUtils.capitalize(why) + ".", cause);
    }

    /**
     * Refuses an operation that may have been applied.
     *
     * @param scope the operation's scope
     * @param cause what was thrown when it was applied; null if nothing was
     * @return the refusal
     */
    public static OperationUnavailableException inDoubt(String scope, @Nullable Throwable cause) {
        return new OperationUnavailableException(OperationOutcome.IN_DOUBT, scope, NOT_KNOWN, "", cause);
    }

    /**
     * Refuses an operation that was applied without a result that the caller could get.
     *
     * @param scope the operation's scope
     * @param cause what was thrown when it was applied; null if nothing was
     * @return the refusal
     */
    public static OperationUnavailableException resultLost(String scope, @Nullable Throwable cause) {
        return new OperationUnavailableException(
                OperationOutcome.IN_DOUBT,
                scope,
                "the operation was applied, but its result is lost; a retry is answered as one",
                "",
                cause);
    }

    /**
     * Refuses an operation until earlier transactions are settled.
     *
     * @param scope the operation's scope
     * @param cause what was thrown when it was to be applied
     * @return the refusal
     */
    public static OperationUnavailableException recovering(String scope, Throwable cause) {
        return new OperationUnavailableException(OperationOutcome.RECOVERING, scope, RECOVERING, "", cause);
    }
}
