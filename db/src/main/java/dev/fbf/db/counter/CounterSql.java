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

    /** Text that {@link #addingTogether} casts to a number to raise an error: PostgreSQL quotes it in the message. */
    private static final String NOT_ALL_ADDED =
            "fbf: a counter is missing, or a trigger kept a counter from being changed, so that the group was rolled back";

    /**
     * SQL that finds the counters that a group cannot add to now. It yields their ordinals, and whether they have rows, which other
     * transactions have locked then. It waits for no row. Its parameter is the array of their names. As its transaction changes nothing, its
     * COMMIT does not wait for the disk.
     */
    String findingUnavailable() {
        return "WITH named AS (SELECT id, ordinal FROM " + names() + " WHERE " + byKey("id") + "), free AS ("
                + locking(
                        "named.ordinal",
                        "(SELECT set_config('synchronous_commit', 'off', true)) AS unsynced, named",
                        " SKIP LOCKED")
                + ") SELECT named.ordinal, counter." + key + " IS NOT NULL FROM named LEFT JOIN " + table
                + " AS counter ON counter." + key + " = named.id WHERE named.ordinal NOT IN (SELECT ordinal FROM free)";
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

    /** Two statements with the same effect: one for a single counter, at two thirds of the server's processor time, and one for many. */
    public record AddingSql(String one, String many) {

        public String of(Map<String, Long> changes) {
            return changes.size() == 1 ? one : many;
        }
    }

    /**
     * SQL that adds to counters. Fails without an effect if a row stays locked by another transaction for longer than the lock timeout, or
     * a counter is missing from the application's table. It may fail if the transaction's isolation is above READ COMMITTED.
     *
     * <p>Yields names and values. The parameters of {@code with} come first, followed by the ones that {@link CounterTable#bindTogether}
     * sets.
     *
     * @param with CTEs that are executed even if nothing is added
     * @param condition the CTE that has a row if the increments are to be made; if it is empty, the statement succeeds without values. Null
     *     for no condition
     */
    public AddingSql addingTogether(String with, @Nullable String condition) {
        String from = condition == null ? "" : ", " + condition;
        String one = "(SELECT CAST(?::text AS " + sqlType + ") AS id, ?::bigint AS delta) AS named" + BOUNDED;
        String many = changes("id, delta, ordinal") + BOUNDED;
        if (makesCounters) {
            return new AddingSql(
                    "WITH " + with + " " + upserting(one + from, ""),
                    "WITH " + with + " " + upserting(many + from, " ORDER BY 1"));
        }
        String orNone = condition == null ? "" : " OR NOT EXISTS (SELECT FROM " + condition + ")";
        return new AddingSql(
                updatingTogether(with, from, one, "id IS NOT NULL" + orNone),
                updatingTogether(
                        with,
                        from,
                        many + " WHERE " + byKey("id") + " ORDER BY id",
                        "(SELECT count(*) FROM changed) = ?" + orNone));
    }

    private String updatingTogether(String with, String from, String named, String isComplete) {
        return "WITH " + with + ", named AS (SELECT id, delta FROM " + named + "), changed AS (UPDATE " + table
                + " AS counter SET " + value + " = counter." + value + " + named.delta FROM named" + from
                + " WHERE counter." + key + " = named.id RETURNING CAST(counter." + key + " AS text) AS id, counter."
                + value + " AS value)"
                // the join has a row even if nothing was changed, so that the condition is always evaluated
                + " SELECT id, value, CASE WHEN " + isComplete + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_ADDED
                + "'::text) AS bigint) END FROM (VALUES (1)) AS one LEFT JOIN changed ON true";
    }

    /** Locks the rows of the counters in {@code named}. */
    private String locking(String columns, String named, String others) {
        return "SELECT " + columns + " FROM " + named + " JOIN " + table + " AS counter ON counter." + key
                + " = named.id WHERE " + byKey("named.id") + " ORDER BY named.id FOR NO KEY UPDATE OF counter" + others;
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
