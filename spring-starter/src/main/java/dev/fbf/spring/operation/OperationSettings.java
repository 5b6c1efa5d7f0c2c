package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Method;
import java.time.Duration;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Settings for the operations of an annotated method, counters or a program.
 *
 * @param declaredBy a description of their declaration, for messages
 * @param scope the scope's name
 * @param transactionManager the manager whose transactions apply the operations; empty for the only or primary one
 * @param waitInProgress the longest wait of a call for another call that is applying the same operation; zero if it is refused immediately
 * @param sqlOnly whether a call that is rolled back leaves no trace
 * @param comparesRequests whether the key comes in the HTTP header, so that it names one request and another request with the same key is
 *     refused
 */
public record OperationSettings(
        String declaredBy,
        String scope,
        String transactionManager,
        Duration waitInProgress,
        boolean sqlOnly,
        boolean comparesRequests) {

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
            throw new IllegalArgumentException("waitInProgress=" + longest + ": must not be negative");
        }
        return longest;
    }

    /** Describes a method for messages. */
    public static String declaredBy(Method method) {
        boolean annotated = AnnotatedElementUtils.hasAnnotation(method, IdempotentIncrement.class);
        return (annotated ? "@IdempotentIncrement on " : "The handler ") + method.toGenericString();
    }
}
