package dev.fbf.db.counter;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SQL that reads and adds to the counters of a table.
 *
 * @param table the table's name, quoted as are the columns'
 * @param key the column that names the counter
 * @param value the column that has its value
 * @param sqlType the type of the key
 * @param makesCounters whether a missing counter is created at 0
 */
public record CounterSql(String table, String key, String value, String sqlType, boolean makesCounters) {

    /** Sets the lock timeout before the first row is locked: the join order ensures that. */
    private static final String BOUNDED = ", (SELECT set_config('lock_timeout', ?, true)) AS bounded";

    /** Text that {@link #addingOptimistically} casts to a number to raise an error: PostgreSQL quotes it in the message. */
    private static final String NOT_ALL_ADDED = "fbf: not all counters of the group could be added to";

    /** A transaction that never waits for a row cannot take part in a deadlock over rows, regardless of its own locks. */
    private static final String SKIPPING = " SKIP LOCKED";

    private static final String ALL_ARE_LOCKED = "(SELECT count(*) FROM locked) = ?";

    /** Text that {@link #locked} casts to a number to raise an error: PostgreSQL quotes it in the message. */
    private static final String NOT_ALL_CHANGED =
            "fbf: a trigger kept a counter from being changed, so that the group was rolled back";

    /** SQL that yields the ordinals of the missing counters; its parameter is the array of their names. */
    String missing() {
        return "SELECT ordinal FROM " + names() + " WHERE NOT EXISTS (SELECT FROM " + table
                + " AS counter WHERE counter." + key + " = named.id)";
    }

    /** SQL that creates counters at 0; its parameter is the array of their names. */
    String making() {
        return "INSERT INTO " + table + " (" + key + ", " + value + ") SELECT id, 0 FROM " + names()
                + " ORDER BY id ON CONFLICT DO NOTHING";
    }

    String adding() {
        return makesCounters
                ? "INSERT INTO " + table + " AS counter (" + value + ", " + key + ") VALUES (?, ?) ON CONFLICT (" + key
                        + ") DO UPDATE SET " + value + " = counter." + value + " + excluded." + value
                        + " RETURNING counter." + value
                : "UPDATE " + table + " SET " + value + " = " + value + " + ? WHERE " + key + " = " + "CAST(?::text AS "
                        + sqlType + ")" + " RETURNING " + value;
    }

    String addingAll() {
        return makesCounters
                ? upserting(changes("id, delta, ordinal"), " ORDER BY 1")
                : "WITH locked AS (" + locking("named.id, named.delta", changes("id, delta, ordinal"), "") + ") UPDATE "
                        + table
                        + " AS counter SET " + value + " = counter." + value
                        + " + locked.delta FROM locked WHERE counter."
                        + key + " = locked.id RETURNING CAST(counter." + key + " AS text), counter." + value;
    }

    /** SQL that yields the keys and values of the existing counters; its parameter is the array of their names. */
    String reading() {
        return "SELECT CAST(counter." + key + " AS text), counter." + value + " FROM unnest((SELECT CAST(?::text[] AS "
                + sqlType + "[]))) AS named(id) JOIN " + table + " AS counter ON counter." + key + " = named.id WHERE "
                + byKey("named.id");
    }

    private String upserting(String changes, String order) {
        return "INSERT INTO " + table + " AS counter (" + key + ", " + value + ") SELECT id, delta FROM " + changes
                + order + " ON CONFLICT (" + key + ") DO UPDATE SET " + value + " = counter." + value + " + excluded."
                + value + " RETURNING CAST(counter." + key + " AS text), counter." + value;
    }

    /** SQL that waits for a counter's row and locks it; its parameter is the counter's name. */
    public String lockingOne() {
        return "SELECT 1 FROM " + table + " WHERE " + key + " = CAST(?::text AS " + sqlType + ") FOR NO KEY UPDATE";
    }

    /**
     * SQL that adds to many counters if it could lock the rows of all of them and update a witness's row; otherwise it changes nothing. It
     * skips rows that other transactions have locked. For each row that it locked it yields the counter's ordinal, and the counter's value
     * or null. Its parameters are set by {@link CounterTable#bindWitnessed}.
     */
    public String addingWitnessed(String compareAndSet) {
        return "WITH locked AS ("
                + locking("named.id, named.ordinal, named.delta", changes("id, delta, ordinal"), SKIPPING)
                + "), turned AS ("
                + compareAndSet + " AND " + ALL_ARE_LOCKED + " RETURNING slot), changed AS ("
                + updating("locked.delta", "locked, turned") + ") SELECT "
                + locked("(SELECT count(*) FROM locked) * (SELECT count(*) FROM turned)");
    }

    /**
     * SQL that enters operations in the ledger and adds the increment of each operation that was entered, if it could lock the rows of all
     * counters; otherwise it changes nothing. It yields the entered operations and then, in the second and third column, the rows of {@link
     * #addingWitnessed}. Its parameters are the arrays of the entries' columns, in the order of {@code LedgerTable.insertEntries}, the
     * arrays of the counters' ordinals and of the deltas, the array of the counters' names, and the number of counters.
     */
    public String addingEntered(String insertEntries) {
        return "WITH entry AS (SELECT operation, low, fingerprint, retention, ordinal, delta"
                + " FROM unnest((SELECT ?::uuid[]), (SELECT ?::bigint[]), (SELECT ?::bigint[]),"
                + " (SELECT ?::integer[]), (SELECT ?::bigint[]), (SELECT ?::bigint[]))"
                + " AS entry(operation, low, fingerprint, retention, ordinal, delta))"
                + ", locked AS (" + locking("named.id, named.ordinal", names(), SKIPPING) + ")"
                + ", entered AS (" + insertEntries + " AND " + ALL_ARE_LOCKED
                + " ON CONFLICT DO NOTHING RETURNING operation)"
                + ", sums AS (SELECT ordinal, CAST(sum(delta) AS bigint) AS delta FROM entry JOIN entered USING (operation)"
                + " GROUP BY ordinal HAVING " + byKey("ordinal") + ")"
                + ", changed AS (" + updating("sums.delta", "locked JOIN sums USING (ordinal)") + ")"
                + " SELECT operation, NULL AS ordinal, NULL AS value, NULL AS checked FROM entered UNION ALL SELECT NULL, "
                + locked("(SELECT count(*) FROM sums)");
    }

    /** Two statements with the same effect: one for a single counter, at two thirds of the server's processor time, and one for many. */
    public record OptimisticSql(String one, String many) {

        public String of(Map<String, Long> changes) {
            return changes.size() == 1 ? one : many;
        }
    }

    /**
     * SQL that adds to counters. Fails without an effect if a row stays locked by another transaction for longer than the lock timeout, or
     * a counter is missing from the application's table. It may fail if the transaction's isolation is above READ COMMITTED. It costs the
     * server less than the statements that lock all rows first and report the ones that they could not lock.
     *
     * <p>Yields names and values. The parameters of {@code with} come first, followed by the ones that {@link CounterTable#bindOptimistic}
     * sets.
     *
     * @param with CTEs that are executed even if nothing is added
     * @param condition the CTE that has a row if the increments are to be made, and is empty otherwise; null for no condition
     */
    public OptimisticSql addingOptimistically(String with, @Nullable String condition) {
        String from = condition == null ? "" : ", " + condition;
        String one = "(SELECT CAST(?::text AS " + sqlType + ") AS id, ?::bigint AS delta) AS named" + BOUNDED;
        String many = changes("id, delta, ordinal") + BOUNDED;
        if (makesCounters) {
            return new OptimisticSql(
                    "WITH " + with + " " + upserting(one + from, ""),
                    "WITH " + with + " " + upserting(many + from, " ORDER BY 1"));
        }
        return new OptimisticSql(
                updatingOptimistically(with, from, one, "id IS NOT NULL"),
                updatingOptimistically(
                        with,
                        from,
                        many + " WHERE " + byKey("id") + " ORDER BY id",
                        "(SELECT count(*) FROM changed) = ?"));
    }

    private String updatingOptimistically(String with, String from, String named, String allAreAdded) {
        return "WITH " + with + ", named AS (SELECT id, delta FROM " + named + "), changed AS (UPDATE " + table
                + " AS counter SET " + value + " = counter." + value + " + named.delta FROM named" + from
                + " WHERE counter." + key + " = named.id RETURNING CAST(counter." + key + " AS text) AS id, counter."
                + value + " AS value)"
                // the join has a row even if nothing was changed, so that the comparison is always evaluated
                + " SELECT id, value, CASE WHEN " + allAreAdded + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_ADDED
                + "'::text) AS bigint) END FROM (VALUES (1)) AS one LEFT JOIN changed ON true";
    }

    /**
     * Locks the rows of the counters in {@code named}. If {@code others} is {@link #SKIPPING}, rows that other transactions have locked are
     * skipped.
     */
    private String locking(String columns, String named, String others) {
        return "SELECT " + columns + " FROM " + named + " JOIN " + table + " AS counter ON counter." + key
                + " = named.id WHERE " + byKey("named.id") + " ORDER BY named.id FOR NO KEY UPDATE OF counter" + others;
    }

    /** Adds to the rows of {@code locked}. */
    private String updating(String delta, String sources) {
        return "UPDATE " + table + " AS counter SET " + value + " = counter." + value + " + " + delta + " FROM "
                + sources + " WHERE counter." + key + " = locked.id RETURNING locked.ordinal, counter." + value
                + " AS value";
    }

    /** Selects the counters whose rows are locked. Fails unless {@code count} rows were changed, because COMMIT means that all were. */
    private static String locked(String count) {
        return "ordinal, value, CASE WHEN (SELECT count(*) FROM changed) = " + count
                + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_CHANGED
                + "'::text) AS bigint) END FROM locked LEFT JOIN changed USING (ordinal)";
    }

    /**
     * A condition that is always true, and makes the planner expect one row. Otherwise the planner expects ten, regardless of the array,
     * and prefers a sequential scan of a table of some hundred rows to ten lookups.
     */
    private static String byKey(String id) {
        return "num_nonnulls(" + id + ") = 1";
    }

    /** Hides the arrays from the planner, which would otherwise make a plan per length. */
    private String changes(String columns) {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[])), (SELECT ?::bigint[])) WITH ORDINALITY AS named("
                + columns + ")";
    }

    private String names() {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[]))) WITH ORDINALITY AS named(id, ordinal)";
    }
}
