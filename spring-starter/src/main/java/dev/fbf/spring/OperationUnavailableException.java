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
    static final String RESULT_LOST = "the operation was applied, but its result is lost; a retry is answered as one";

    OperationUnavailableException(OperationOutcome outcome, String scope, String why, @Nullable Throwable cause) {
        this(outcome, scope, why, "", cause);
    }

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
}
