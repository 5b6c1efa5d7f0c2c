package dev.fbf.spring.cassandra;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.OperationUnavailableException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Exact counters on Cassandra, with the methods that {@link dev.fbf.spring.SqlCounters} has. A counter begins at 0 when it is first
 * added to. Counters of different scopes are different ones, even if they have the same name.
 *
 * <p>Injected as it is, its scope is {@code counters}. For others:
 *
 * <pre>{@code
 * @Bean
 * CassandraCounters pageViews(CassandraCounters.Builder counters) {
 *     return counters.scope("page-views").build();
 * }
 * }</pre>
 *
 * <p>An increment belongs to an operation, which is applied once: to that of the {@link IdempotentIncrement} method that calls, whose
 * scope must be this one, or to one that is named by a key here. It is committed at once, together with those of other callers, and is
 * part of no transaction: what the method does or throws after it changes nothing. A method adds with one call; without one, its operation
 * is not applied.
 *
 * <p>Callers read their own increments. Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface CassandraCounters {

    /**
     * Adds 1 to a counter; see {@link #increment(String, long)}.
     *
     * @param counter the counter's name
     * @return the value that this has made
     */
    default long increment(String counter) {
        return increment(counter, 1);
    }

    /**
     * Adds to a counter, for the operation of the guarded method that calls.
     *
     * @param counter the counter's name, 1 to 1,000 characters
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made
     * @throws IllegalArgumentException if {@code delta} is 0, or no counter can have such a name
     * @throws IllegalStateException if no guarded method of this scope calls, or it has added before
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave the range of 64 bits
     * @throws OperationUnavailableException if it could not be applied in time, or it is not known whether it was
     */
    default long increment(String counter, long delta) {
        return Objects.requireNonNull(increment(Map.of(counter, delta)).get(counter));
    }

    /**
     * Subtracts from a counter; otherwise as {@link #increment(String, long)}.
     *
     * @param counter the counter's name
     * @param delta what to subtract, other than 0
     * @return the value that this has made
     */
    default long decrement(String counter, long delta) {
        return increment(counter, negated(delta));
    }

    /**
     * Adds to several counters together, for the operation of the guarded method that calls; otherwise as {@link #increment(String,
     * long)}.
     *
     * @param deltas what to add to which counter, none of it 0: 1 to 16 counters
     * @return the values that this has made, by counter
     */
    Map<String, Long> increment(Map<String, Long> deltas);

    /**
     * Adds to a counter, once for each key. Scope, key and counter together name the operation: the same key with another counter names
     * another one, the same key with another delta does not, and the login is no part of the name.
     *
     * @param key names the operation, among those on the same counter of this scope
     * @param counter the counter's name, 1 to 1,000 characters
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made; the counter's value if the operation was applied before
     * @throws IllegalArgumentException if {@code delta} is 0, or no counter can have such a name
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave the range of 64 bits
     * @throws OperationInProgressException if another call is applying the operation
     * @throws OperationUnavailableException if it could not be applied in time, or it is not known whether it was
     */
    default long increment(IdempotencyKey key, String counter, long delta) {
        return Objects.requireNonNull(increment(key, Map.of(counter, delta)).get(counter));
    }

    /**
     * Subtracts from a counter, once for each key; otherwise as {@link #increment(IdempotencyKey, String, long)}.
     *
     * @param key names the operation, among those on the same counter of this scope
     * @param counter the counter's name
     * @param delta what to subtract, other than 0
     * @return the value that this has made; the counter's value if the operation was applied before
     */
    default long decrement(IdempotencyKey key, String counter, long delta) {
        return increment(key, counter, negated(delta));
    }

    /**
     * Adds to several counters together, once for each key. The same key with other counters names another operation.
     *
     * @param key names the operation, among those on the same counters of this scope
     * @param deltas what to add to which counter, none of it 0: 1 to 16 counters
     * @return the values that this has made, by counter; the counters' values if the operation was applied before
     */
    Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas);

    /**
     * Reads a counter, by a quorum.
     *
     * @param counter the counter's name
     * @return its value; empty if it was never added to
     */
    OptionalLong value(String counter);

    /**
     * Reads several counters, by a quorum: not as they are at one moment.
     *
     * @param counters their names
     * @return the values of those that were added to, by name
     */
    Map<String, Long> values(Collection<String> counters);

    private static long negated(long delta) {
        if (delta == Long.MIN_VALUE) {
            throw new IllegalArgumentException("delta=" + delta + ": must be greater, to be subtracted");
        }
        return -delta;
    }

    /** Declares counters. A new one for each injection. */
    interface Builder {

        /**
         * Names the scope.
         *
         * @param scope 1 to 200 letters, digits, dots, hyphens or underscores
         * @return this
         */
        Builder scope(String scope);

        /**
         * Declares the counters.
         *
         * @return the counters, which work once the application has started
         */
        CassandraCounters build();
    }
}
