package dev.fbf.spring.declaration;

import dev.fbf.core.filter.FilterStore;
import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Method;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.TransactionDefinition;

/**
 * How the operations of an annotated method, or of a program, are applied.
 *
 * @param declaredBy what declares them, for messages
 * @param scope the scope's name
 * @param transactionManager its transactions apply the operations; empty for the only or primary one
 * @param waits whether a call waits for another one that is applying the same operation
 * @param sqlOnly whether a call that is rolled back leaves no trace
 * @param comparesRequests whether the key comes in the HTTP header: it names the request then, and not what that is about
 * @param ownTransaction how a transaction is begun for an operation that comes in none
 */
public record OperationSettings(
        String declaredBy,
        String scope,
        String transactionManager,
        boolean waits,
        boolean sqlOnly,
        boolean comparesRequests,
        OwnTransaction ownTransaction) {

    /**
     * How the guard begins a transaction.
     *
     * @param isolation as {@link TransactionDefinition} numbers the levels
     * @param timeout in seconds
     */
    public record OwnTransaction(int isolation, int timeout) {

        static final OwnTransaction DEFAULT =
                new OwnTransaction(TransactionDefinition.ISOLATION_DEFAULT, TransactionDefinition.TIMEOUT_DEFAULT);
    }

    /** Those whose transactions begin as the database has it. */
    public OperationSettings(
            String declaredBy,
            String scope,
            String transactionManager,
            boolean waits,
            boolean sqlOnly,
            boolean comparesRequests) {
        this(declaredBy, scope, transactionManager, waits, sqlOnly, comparesRequests, OwnTransaction.DEFAULT);
    }

    /**
     * Checks the name of a scope.
     *
     * @return the name
     */
    public static String requireScope(String name) {
        if (!FilterStore.SCOPE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "scope=" + name + ": must have 1 to 200 letters, digits, dots, hyphens or underscores");
        }
        return name;
    }

    /** Describes a method for messages. */
    static String declaredBy(Method method) {
        boolean annotated = AnnotatedElementUtils.hasAnnotation(method, IdempotentIncrement.class);
        return (annotated ? "@IdempotentIncrement on " : "The handler ") + method.toGenericString();
    }
}
