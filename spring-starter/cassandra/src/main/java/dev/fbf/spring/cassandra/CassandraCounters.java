package dev.fbf.spring.cassandra;

import dev.fbf.spring.Counters;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationUnavailableException;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Exact counters on Cassandra. A counter is created at 0 by its first increment. Each scope has its own counters, even for equal names.
 *
 * <p>The scope of the default bean is {@code counters}. To use another scope:
 *
 * <pre>{@code
 * @Bean
 * CassandraCounters pageViews(CassandraCounters.Builder counters) {
 *     return counters.scope("page-views").build();
 * }
 * }</pre>
 *
 * <p>Each increment belongs to an operation, which is applied once. That is the operation of the calling {@link IdempotentIncrement}
 * method, whose scope must be this one, or the operation of a key. The increment is committed immediately, together with those of
 * concurrent callers, and outside of transactions: it stays committed if the method fails later. A method makes all its increments in one
 * call; without that call, its operation is not applied.
 *
 * <p>A read includes the caller's earlier increments. Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface CassandraCounters extends Counters {

    /**
     * Adds to several counters, for the operation of the calling guarded method, and commits the increments immediately: all of them or
     * none.
     *
     * @param deltas the amount to add, by counter; none is 0: 1 to 16 counters, with names of 1 to 1,000 characters
     * @throws IllegalArgumentException if the deltas are invalid
     * @throws IllegalStateException if the caller is not a guarded method of this scope, or has already added
     * @throws org.springframework.dao.DataIntegrityViolationException if a value would leave its range
     * @throws OperationUnavailableException if it could not be applied in time, or its outcome is unknown
     */
    @Override
    Map<String, Long> increment(Map<String, Long> deltas);

    /** Reads a counter at quorum. */
    @Override
    OptionalLong value(String counter);

    /** Reads several counters at quorum. The values are not a snapshot. */
    @Override
    Map<String, Long> values(Collection<String> counters);

    /** Builder of counters. Each injection point gets a new one. */
    interface Builder {

        /**
         * Sets the scope.
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
