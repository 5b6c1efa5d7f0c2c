package dev.fbf.spring;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Exact counters, in an SQL database ({@link SqlCounters}) or in Cassandra.
 *
 * <p>Each increment belongs to an operation, which is applied once. That is the operation of the calling {@link IdempotentIncrement}
 * method, or the operation of a key, which comes with the request or from the program.
 *
 * <p>A read includes the caller's earlier increments. Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface Counters {

    /**
     * Adds 1 to a counter; see {@link #increment(String, long)}.
     *
     * @param counter the counter's name
     * @return the counter's new value
     */
    default long increment(String counter) {
        return increment(counter, 1);
    }

    /**
     * Adds to a counter, for the operation of the calling guarded method.
     *
     * @param counter the counter's name
     * @param delta the amount to add; not 0, negative to subtract
     * @return the counter's new value
     * @throws IllegalArgumentException if {@code delta} is 0, or the name is invalid
     * @throws IllegalStateException if the caller is not a guarded method or, in Cassandra, has already incremented
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range
     */
    default long increment(String counter, long delta) {
        return Objects.requireNonNull(increment(Map.of(counter, delta)).get(counter));
    }

    /**
     * Adds to several counters, for the operation of the calling guarded method: to all of them or to none.
     *
     * @param deltas the amount to add, by counter; none is 0
     * @return the new values, by counter
     * @throws IllegalArgumentException if a delta is 0, or a name is invalid
     * @throws IllegalStateException if the caller is not a guarded method or, in Cassandra, has already incremented
     * @throws org.springframework.dao.DataIntegrityViolationException if a value would leave its range
     */
    Map<String, Long> increment(Map<String, Long> deltas);

    /**
     * Adds to a counter, once per key.
     *
     * <p>For a key from the program, scope, key and counter together name the operation: another counter makes it another operation,
     * another delta does not. The login is not part of the name. For the key of a request, scope, caller and key name the operation:
     * another request with the same key is refused, and a duplicate ends the handler with an exception.
     *
     * @param key names the operation
     * @param counter the counter's name
     * @param delta the amount to add; not 0, negative to subtract
     * @return the counter's new value; the current value if the operation of a program's key was applied before
     * @throws IllegalArgumentException if {@code delta} is 0, or the name is invalid
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range
     * @throws OperationInProgressException if another call is applying the operation
     * @throws OperationUnavailableException if the operation cannot be applied now, or its outcome is unknown
     * @throws IdempotencyKeyException if the key is too old or from the future, a required time is missing, or the key comes from a request
     *     and the operation was applied for another request
     * @throws IllegalStateException if the key comes from a request with another operation in another transaction, or is used outside the
     *     thread of its handler
     */
    default long increment(IdempotencyKey key, String counter, long delta) {
        return Objects.requireNonNull(increment(key, Map.of(counter, delta)).get(counter));
    }

    /**
     * Adds to several counters, once per key: to all of them or to none. Otherwise as {@link #increment(IdempotencyKey, String, long)}.
     *
     * @param key names the operation
     * @param deltas the amount to add, by counter; none is 0
     * @return the new values, by counter; the current values if the operation was applied before
     */
    Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas);

    /**
     * Reads a counter.
     *
     * @param counter the counter's name
     * @return its value; empty if the counter does not exist
     */
    OptionalLong value(String counter);

    /**
     * Reads several counters.
     *
     * @param counters their names
     * @return the values of the existing counters, by name
     */
    Map<String, Long> values(Collection<String> counters);
}
