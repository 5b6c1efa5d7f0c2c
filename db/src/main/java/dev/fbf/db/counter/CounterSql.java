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
 * @param makesCounters whether a counter that is not there begins at 0
 */
public record CounterSql(String table, String key, String value, String sqlType, boolean makesCounters) {

    /** Sets the lock timeout before the first row is locked: the join order ensures that. */
    private static final String BOUNDED = ", (SELECT set_config('lock_timeout', ?, true)) AS bounded";

    /** Text that {@link #addingOptimistically} casts to a number to fail: PostgreSQL's error quotes it. */
    private static final String NOT_ALL_ADDED = "fbf: not all counters of the group could be added to";

    /** A transaction that waits for no row, whatever it has locked, can be part of no deadlock over rows. */
    private static final String SKIPPING = " SKIP LOCKED";

    private static final String ALL_ARE_LOCKED = "(SELECT count(*) FROM locked) = ?";

    /** Text that {@link #locked} casts to a number to fail: PostgreSQL's error quotes it. */
    private static final String NOT_ALL_CHANGED =
            "fbf: a trigger kept a counter from being changed, so that the group was rolled back";

    /** SQL that yields the ordinals of the counters that are not there; its parameter is the array of their names. */
    String missing() {
        return "SELECT ordinal FROM " + names() + " WHERE NOT EXISTS (SELECT FROM " + table
                + " AS counter WHERE counter." + key + " = named.id)";
    }

    /** SQL that makes counters that begin at 0; its parameter is the array of their names. */
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

    /** SQL that yields the keys and values of the counters that there are; its parameter is the array of their names. */
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
     * SQL that adds to many counters if it has locked the rows of all, and turned a witness's row; otherwise it does
     * nothing. For each row that it has locked it yields the ordinal of its counter, and its value or null. Passes over
     * rows that other transactions have locked. Its parameters are set by {@link CounterTable#bindWitnessed}.
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
     * SQL that adds for each operation that it can enter in the ledger, if it has locked the rows of all counters;
     * otherwise it does nothing. Yields the operations that it has entered, and after them, in the second and third column,
     * what {@link #addingWitnessed} yields. Its parameters are the arrays of the entries' columns, as {@code
     * LedgerTable.insertEntries} has them, and of the ordinals of their counters and the deltas; then the array of the
     * counters' names, and how many these are.
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

    /** Two statements with the same effect: for a single counter, at two thirds of the server's processor time, and for many. */
    public record OptimisticSql(String one, String many) {

        public String of(Map<String, Long> changes) {
            return changes.size() == 1 ? one : many;
        }
    }

    /**
     * SQL that adds to counters. Fails, so that nothing is done, if another transaction has locked a row for longer than it waits, or
     * a counter of the application's is not there; may fail if the transaction's isolation is above READ COMMITTED. It costs the server
     * less than the statements that lock all rows first and can tell which they could not lock.
     *
     * <p>Yields names and values. The parameters of {@code with} come first, followed by the ones that {@link CounterTable#bindOptimistic} sets.
     *
     * @param with CTEs that are executed whatever comes of the rest
     * @param condition one of them that has a row if the counters are to be added to, and else none; null for no condition
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
                // the join has a row even where nothing was changed, so that the comparison is made
                + " SELECT id, value, CASE WHEN " + allAreAdded + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_ADDED
                + "'::text) AS bigint) END FROM (VALUES (1)) AS one LEFT JOIN changed ON true";
    }

    /** Locks the rows of the counters in {@code named}. With {@link #SKIPPING} as {@code others} it skips rows that others have locked. */
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

    /** The counters whose rows are locked; fails unless {@code count} rows were changed, because a COMMIT means that all were. */
    private static String locked(String count) {
        return "ordinal, value, CASE WHEN (SELECT count(*) FROM changed) = " + count
                + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_CHANGED
                + "'::text) AS bigint) END FROM locked LEFT JOIN changed USING (ordinal)";
    }

    /**
     * Is true, and makes the planner expect a single row. By itself it expects ten, whatever the array, and for those it would
     * rather read a table of some hundred rows from end to end than look each up.
     */
    private static String byKey(String id) {
        return "num_nonnulls(" + id + ") = 1";
    }

    /** The arrays are hidden from the planner, which would make a plan for each length otherwise. */
    private String changes(String columns) {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[])), (SELECT ?::bigint[])) WITH ORDINALITY AS named("
                + columns + ")";
    }

    private String names() {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[]))) WITH ORDINALITY AS named(id, ordinal)";
    }
}
