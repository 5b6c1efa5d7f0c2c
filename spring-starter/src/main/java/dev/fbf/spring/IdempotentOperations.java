package dev.fbf.spring;

/**
 * Entry point for operations that are applied once without an annotated method: in a message listener, a scheduled job, or a library.
 *
 * <pre>{@code
 * IdempotentScope payments = operations.scope("payments");
 *
 * boolean applied = payments.execute(IdempotencyKey.of(record.key()), () -> jdbc.sql(
 *         "UPDATE account SET balance = balance + ? WHERE id = ?").params(amount, account).update());
 * }</pre>
 *
 * <p>Available as a bean in every application that can use {@link IdempotentIncrement}. Thread-safe.
 */
public interface IdempotentOperations {

    /**
     * Creates a scope with the default settings of an annotation; see {@link #builder(String)}.
     *
     * @param name the scope's name
     * @return the scope
     * @throws IllegalArgumentException if the name is invalid
     */
    default IdempotentScope scope(String name) {
        return builder(name).build();
    }

    /**
     * Creates a builder of a scope. If the scope is built while the application starts, for example in a constructor, an error in it stops
     * the start; if it is built later, {@code build()} throws it.
     *
     * @param name 1 to 200 letters, digits, dots, hyphens or underscores; may be the scope of an annotated method; then the same key and
     *     caller name the same operation
     * @return a builder of the scope
     * @throws IllegalArgumentException if the name is invalid
     */
    IdempotentScope.Builder builder(String name);
}
