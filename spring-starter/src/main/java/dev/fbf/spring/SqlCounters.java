package dev.fbf.spring;

import dev.fbf.db.counter.UnknownCounterException;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Exact counters in PostgreSQL that are faster than an {@code UPDATE} of each: increments of callers that come at the same
 * time are committed together, and each is told the value that it made.
 *
 * <p>Injected as it is, its counters are in the table {@code fbf_counter}; a counter begins at 0 when it is first added to.
 * For a table of the application's, whose rows the application inserts:
 *
 * <pre>{@code
 * @Bean
 * SqlCounters pageViews(SqlCounters.Builder counters) {
 *     return counters.scope("page-views").table("page", "name", "views").build();
 * }
 * }</pre>
 *
 * <p>An increment belongs to an operation, which is applied once: to that of the {@link IdempotentIncrement} method that calls, or to one
 * that a key names: that of the request, or one of the program's own. An increment is committed with the transaction of its caller, or,
 * without one, before it returns:
 *
 * <ul>
 *   <li>{@link #increment(IdempotencyKey, String, long) increment(key, counter, delta)} outside of a transaction is committed together with
 *       increments of other callers. This is the fast way.
 *   <li>{@link #increment(String, long) increment(counter, delta)} is for guarded methods, and part of their transaction, as any other SQL
 *       there.
 * </ul>
 *
 * <p>Callers read their own increments. Within a transaction, what it has read or
 * written before is as that transaction sees it.
 *
 * <p>Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public interface SqlCounters extends Counters {

    /**
     * Adds to a counter, for the operation of the guarded method that calls, and in its transaction: what rolls that back
     * takes this back.
     *
     * @throws IllegalStateException if no guarded method calls, or its transaction is not open here or of another database
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a
     *     constraint
     */
    @Override
    long increment(String counter, long delta);

    /**
     * Adds to several counters, for the operation of the guarded method that calls, and in its transaction.
     *
     * @throws UnknownCounterException if the application's table lacks one of the counters; the others have been added to,
     *     unless the transaction rolls back
     */
    @Override
    Map<String, Long> increment(Map<String, Long> deltas);

    /**
     * Adds to a counter, once for each key: in the caller's transaction, or, without one, together with increments of other callers.
     *
     * @throws IllegalStateException if the caller's transaction has applied a quarter of {@code fbf.max-claims} operations, which it can
     *     commit; or if the key is that of a request, and has applied an operation that was committed without this one
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a
     *     constraint
     */
    @Override
    long increment(IdempotencyKey key, String counter, long delta);

    /** Reads a counter; outside of a transaction, together with others who read at the same time. */
    @Override
    OptionalLong value(String counter);

    /** Reads several counters, as they are at one moment. */
    @Override
    Map<String, Long> values(Collection<String> counters);

    /** Makes {@link SqlCounters}; each injection point gets a new one. Not thread-safe. */
    interface Builder {

        /**
         * Sets the family of operations that the keys belong to. No two counters of an application have the same.
         *
         * @param scope 1 to 200 letters, digits, dots, hyphens or underscores; {@code counters} if this is not called
         * @return this
         * @throws IllegalArgumentException if it is not like that
         */
        Builder scope(String scope);

        /**
         * Sets the transaction manager of the counters.
         *
         * @param name the bean name or qualifier of the transaction manager of their data source; the only or primary one if
         *     this is not called
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
         * Makes them. The database is asked for the table when the application has started, or at first use.
         *
         * @return the counters
         */
        SqlCounters build();
    }
}
