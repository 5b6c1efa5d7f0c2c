package dev.fbf.spring.cassandra;

import dev.fbf.spring.Counters;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationUnavailableException;

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
 * <p>An increment adds to 1 to 16 counters, with names of 1 to 1,000 characters, and fails with an {@link OperationUnavailableException} if
 * it could not be applied in time, or its outcome is unknown. Reads are at quorum; the values of several counters are not a snapshot.
 *
 * <p>A read includes the caller's earlier increments. Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface CassandraCounters extends Counters {

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
