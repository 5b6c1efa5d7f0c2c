package dev.fbf.spring.operation;

import dev.fbf.core.DurationText;
import dev.fbf.core.OperationId;
import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Settings for the operations of an annotated method, counters or a program.
 *
 * @param declaredBy a description of their declaration, for messages
 * @param scope the scope's name
 * @param transactionManager the manager whose transactions apply the operations; empty for the only or primary one
 * @param waitInProgress the longest wait of a call for another call that is applying the same operation; null for the default
 * @param retryWindow the scope's retry window, unless a property sets it; null if it is not declared
 * @param sqlOnly whether a call that is rolled back leaves no trace
 * @param comparesRequests whether the key comes in the HTTP header, so that it names one request and another request with the same key is
 *     refused
 */
public record OperationSettings(
        String declaredBy,
        String scope,
        String transactionManager,
        @Nullable Duration waitInProgress,
        @Nullable Duration retryWindow,
        boolean sqlOnly,
        boolean comparesRequests) {

    /** Shortest retry window. The filter would allow less, but a smaller value most likely lacks its unit. */
    static final Duration SHORTEST_WINDOW = Duration.ofSeconds(1);

    /** Longest retry window with a ledger, which remembers operations longer than the filter. */
    static final Duration LONGEST_WINDOW = Duration.ofDays(365);

    /** Longest wait outside of requests: as that for a connection of a pool. A redelivery or a next run could come much later. */
    private static final Duration OUTSIDE_REQUESTS = Duration.ofSeconds(30);

    /** Returns a hash that is not computed again for each call. */
    @Override
    public int hashCode() {
        return declaredBy.hashCode();
    }

    /**
     * Checks the name of a scope.
     *
     * @return the name
     */
    public static String requireScope(String name) {
        if (!OperationId.SCOPE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "scope=" + name + ": must have 1 to 200 letters, digits, dots, hyphens or underscores");
        }
        return name;
    }

    /**
     * Checks the longest wait of a call for another one.
     *
     * @return the checked value
     */
    public static Duration requireWait(Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException("waitInProgress=" + DurationText.of(longest) + ": must not be negative");
        }
        return longest;
    }

    /**
     * Checks a retry window.
     *
     * @return the checked value
     */
    public static Duration requireWindow(Duration window) {
        if (window.compareTo(SHORTEST_WINDOW) < 0 || window.compareTo(LONGEST_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "retryWindow=" + DurationText.of(window) + ": must be from 1 second to 365 days");
        }
        return window;
    }

    /** Returns the longest wait of a call; a client can repeat its request soon. */
    Duration waitInProgress(boolean isRequest) {
        return waitInProgress != null ? waitInProgress : isRequest ? Duration.ZERO : OUTSIDE_REQUESTS;
    }

    /** Describes a method for messages. */
    public static String declaredBy(Method method) {
        boolean annotated = AnnotatedElementUtils.hasAnnotation(method, IdempotentIncrement.class);
        return (annotated ? "@IdempotentIncrement on " : "The handler ") + method.toGenericString();
    }
}
