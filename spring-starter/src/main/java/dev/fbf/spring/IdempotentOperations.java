package dev.fbf.spring;

/**
 * Applies operations once without an annotated method: in a message listener, a scheduled job, or a library.
 *
 * <pre>{@code
 * IdempotentScope payments = operations.scope("payments");
 *
 * boolean applied = payments.execute(IdempotencyKey.of(record.key()), () -> jdbc.sql(
 *         "UPDATE account SET balance = balance + ? WHERE id = ?").params(amount, account).update());
 * }</pre>
 *
 * <p>A bean of this type is there wherever {@link IdempotentIncrement} works. Thread-safe.
 */
public interface IdempotentOperations {

    /**
     * Makes a scope with the settings of an annotation that names nothing but the scope; see {@link #builder(String)}.
     *
     * @param name the scope's name
     * @return the scope
     * @throws IllegalArgumentException if the name is not as it should be
     */
    default IdempotentScope scope(String name) {
        return builder(name).build();
    }

    /**
     * Begins to make a scope: a family of operations that share one filter. Where it is made while the application starts, as in
     * a constructor, what is wrong with it stops the start; where it is made later, its first operation fails.
     *
     * @param name 1 to 200 letters, digits, dots, hyphens or underscores; that of an annotated method is allowed, and the same
     *     key and caller then name the same operation
     * @return a builder of the scope
     * @throws IllegalArgumentException if the name is not like that
     */
    IdempotentScope.Builder builder(String name);
}
