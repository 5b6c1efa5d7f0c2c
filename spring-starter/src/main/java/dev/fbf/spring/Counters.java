package dev.fbf.spring;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Exact counters, wherever their values are: in PostgreSQL ({@link SqlCounters}), or in Cassandra.
 *
 * <p>An increment belongs to an operation, which is applied once: to that of the {@link IdempotentIncrement} method that calls, or to one
 * that a key names: that of the request, or one of the program's own.
 *
 * <p>Callers read their own increments. Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface Counters {

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
     * @param counter the counter's name
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made
     * @throws IllegalArgumentException if {@code delta} is 0, or no counter can have such a name
     * @throws IllegalStateException if no guarded method calls
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range
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
     * Adds to several counters, for the operation of the guarded method that calls: to all of them or to none.
     *
     * @param deltas what to add to which counter, none of it 0
     * @return the values that this has made, by counter
     * @throws IllegalArgumentException if a delta is 0, or no counter can have such a name
     * @throws IllegalStateException if no guarded method calls, or its operation has been applied by another increment
     * @throws org.springframework.dao.DataIntegrityViolationException if a value would leave its range
     */
    Map<String, Long> increment(Map<String, Long> deltas);

    /**
     * Adds to a counter, once for each key.
     *
     * <p>With a key of the program's own, scope, key and counter together name the operation: the same key with another counter names
     * another one, the same key with another delta does not. The login is not part of the name. With the key of a request, scope, user and
     * key name it: the same key with another request is refused, and a duplicate leaves the handler as an exception.
     *
     * @param key names the operation
     * @param counter the counter's name
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made; the counter's value if the operation was applied before
     * @throws IllegalArgumentException if {@code delta} is 0, or no counter can have such a name
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range
     * @throws OperationInProgressException if another call is applying the operation
     * @throws OperationUnavailableException if it could not be applied in time, or it is not known whether it was
     * @throws IdempotencyKeyException if the key carries a time before the window, or is that of a request, and the operation was applied
     *     for another one
     * @throws IllegalStateException if the key is that of a request, and has applied an operation that was committed without this one
     */
    default long increment(IdempotencyKey key, String counter, long delta) {
        return Objects.requireNonNull(increment(key, Map.of(counter, delta)).get(counter));
    }

    /**
     * Subtracts from a counter, once for each key; otherwise as {@link #increment(IdempotencyKey, String, long)}.
     *
     * @param key names the operation
     * @param counter the counter's name
     * @param delta what to subtract, other than 0
     * @return the value that this has made; the counter's value if the operation was applied before
     */
    default long decrement(IdempotencyKey key, String counter, long delta) {
        return increment(key, counter, negated(delta));
    }

    /**
     * Adds to several counters, once for each key: to all of them or to none. Otherwise as {@link #increment(IdempotencyKey, String, long)}.
     *
     * @param key names the operation
     * @param deltas what to add to which counter, none of it 0
     * @return the values that this has made, by counter; the counters' values if the operation was applied before
     */
    Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas);

    /**
     * Reads a counter.
     *
     * @param counter the counter's name
     * @return its value; empty if there is no such counter
     */
    OptionalLong value(String counter);

    /**
     * Reads several counters.
     *
     * @param counters their names
     * @return the values of those that there are, by name
     */
    Map<String, Long> values(Collection<String> counters);

    private static long negated(long delta) {
        if (delta == Long.MIN_VALUE) {
            throw new IllegalArgumentException("delta=" + delta + ": must be greater, to be subtracted");
        }
        return -delta;
    }
}
