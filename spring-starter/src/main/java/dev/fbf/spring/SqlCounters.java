package dev.fbf.spring;

import dev.fbf.db.counter.UnknownCounterException;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Exact counters, faster than one {@code UPDATE} per increment: concurrent increments are committed together, and each
 * returns the counter's new value. If the database refuses a group, each caller's increment is committed alone.
 *
 * <p>The default bean keeps its counters in the table {@code fbf_counter}, where a counter is created at 0 by its first increment. To use a
 * table of the application, which inserts the rows itself:
 *
 * <pre>{@code
 * @Bean
 * SqlCounters pageViews(SqlCounters.Builder counters) {
 *     return counters.scope("page-views").table("page", "name", "views").build();
 * }
 * }</pre>
 *
 * <p>Each increment belongs to an operation, which is applied once. That is the operation of the calling {@link IdempotentIncrement}
 * method, or the operation of a key, which comes with the request or from the program. An increment is committed with its caller's
 * transaction or, without one, before it returns:
 *
 * <ul>
 *   <li>{@link #increment(IdempotencyKey, String, long) increment(key, counter, delta)} outside of a transaction is committed together with
 *       increments of other callers. This is the fast path.
 *   <li>{@link #increment(String, long) increment(counter, delta)} is for guarded methods, and part of their transaction.
 * </ul>
 *
 * <p>A read includes the caller's earlier increments. A read within a transaction is part of it.
 *
 * <p>Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface SqlCounters extends Counters {

    /**
     * Adds to a counter, for the operation of the calling guarded method and in its transaction: a rollback undoes the increment.
     *
     * @throws IllegalStateException if the caller is not a guarded method, or its transaction is not open on this thread or belongs to
     *     another database
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a constraint
     */
    @Override
    long increment(String counter, long delta);

    /**
     * Adds to several counters, for the operation of the calling guarded method and in its transaction.
     *
     * @throws UnknownCounterException if the application's table lacks one of the counters; the other increments were made, unless the
     *     transaction rolls back
     */
    @Override
    Map<String, Long> increment(Map<String, Long> deltas);

    /**
     * Adds to a counter, once per key: in the caller's transaction or, without one, together with increments of other callers.
     *
     * @throws IllegalStateException if the caller's transaction is read-only or ending, or has applied a quarter of {@code
     *     fbf.max-claims} operations, which it can still commit. Also thrown if the key comes from a request with another operation in
     *     another transaction, or is used outside the thread of its handler
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a constraint
     */
    @Override
    long increment(IdempotencyKey key, String counter, long delta);

    /** Reads a counter. */
    @Override
    OptionalLong value(String counter);

    /** Reads several counters from one snapshot. */
    @Override
    Map<String, Long> values(Collection<String> counters);

    /** Builder of {@link SqlCounters}; each injection point gets a new one. Not thread-safe. */
    interface Builder {

        /**
         * Sets the scope of the keys. Each {@code SqlCounters} of an application needs its own.
         *
         * @param scope 1 to 200 letters, digits, dots, hyphens or underscores; {@code counters} if this is not called
         * @return this
         * @throws IllegalArgumentException if the scope is invalid
         */
        Builder scope(String scope);

        /**
         * Sets the transaction manager of the counters.
         *
         * @param name the bean name or qualifier of the transaction manager of their data source; the only or primary one,
         *     or the only one with a data source, if this is not called
         * @return this
         */
        Builder transactionManager(String name);

        /**
         * Sets the table of the counters, one per row; the application inserts the rows.
         *
         * @param table its case-sensitive name, such as {@code page} or {@code shop.page}. A name without a schema is looked up
         *     on each connection's search path; connections of background threads have no tenant
         * @param key the column that names the counter, unique: {@code text}, {@code varchar}, {@code bigint}, {@code
         *     integer}, {@code smallint} or {@code uuid}
         * @param value the column that has its value: {@code bigint}, {@code integer} or {@code smallint}
         * @return this
         */
        Builder table(String table, String key, String value);

        /**
         * Creates the counters. The table is checked at the start or, if the database cannot be reached then, at first use.
         *
         * @return the counters
         */
        SqlCounters build();
    }
}
