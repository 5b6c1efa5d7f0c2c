package dev.fbf.spring.cassandra;

import dev.fbf.spring.Counters;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationUnavailableException;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Exact counters on Cassandra. A counter begins at 0 when it is first added to. Counters of different scopes are different ones, even if
 * they have the same name.
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
public interface CassandraCounters extends Counters {

    /**
     * Adds to several counters, for the operation of the guarded method that calls, and commits that at once: to all of them or to none.
     *
     * @param deltas what to add to which counter, none of it 0: 1 to 16 counters, whose names have 1 to 1,000 characters
     * @throws IllegalStateException if no guarded method of this scope calls, or it has added before
     * @throws OperationUnavailableException if it could not be applied in time, or it is not known whether it was
     */
    @Override
    Map<String, Long> increment(Map<String, Long> deltas);

    /** Reads a counter, by a quorum. */
    @Override
    OptionalLong value(String counter);

    /** Reads several counters, by a quorum: not as they are at one moment. */
    @Override
    Map<String, Long> values(Collection<String> counters);

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
