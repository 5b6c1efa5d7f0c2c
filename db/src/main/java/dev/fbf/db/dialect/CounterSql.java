package dev.fbf.db.dialect;

import java.util.Map;

/**
 * SQL that reads and adds to the counters of a table.
 *
 * @param table the table's name in SQL, quoted if necessary, as are the columns'
 * @param key the column that names the counter
 * @param value the column that has its value
 * @param sqlType the type of the key
 * @param makesCounters whether a missing counter is created at 0
 */
public record CounterSql(String table, String key, String value, String sqlType, boolean makesCounters) {

    /**
     * An expression that sets the lock timeout of a group: a locked row delays the group once, and most commits of other nodes' groups take
     * less.
     */
    public static final String SET_LOCK_TIMEOUT = "set_config('lock_timeout', '250ms', true)";

    /** Text that {@link #addingTogether} casts to a number to raise an error: PostgreSQL quotes it in the message. */
    private static final String NOT_ALL_ADDED =
            "fbf: a counter is missing, or a trigger kept a counter from being changed: the group was rolled back";

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
                ? upserting(changes(), " ORDER BY 1")
                : "WITH locked AS (SELECT named.id, named.delta FROM " + changes() + " JOIN " + table
                        + " AS counter ON counter." + key + " = named.id WHERE " + byKey("named.id")
                        + " ORDER BY named.id FOR NO KEY UPDATE OF counter) UPDATE " + table + " AS counter SET "
                        + value + " = counter." + value
                        + " + locked.delta FROM locked WHERE counter."
                        + key + " = locked.id RETURNING CAST(counter." + key + " AS text), counter." + value;
    }

    /** Returns a query of one counter's value; its parameter is the name. */
    String readingOne() {
        return "SELECT CAST(" + value + " AS bigint) FROM " + table + " WHERE " + key + " = CAST(?::text AS " + sqlType
                + ")";
    }

    /** Returns SQL that yields the keys and values of the existing counters; its parameter is the array of their names. */
    String reading() {
        return "SELECT CAST(counter." + key + " AS text), counter." + value + " FROM unnest((SELECT CAST(?::text[] AS "
                + sqlType + "[]))) AS named(id) JOIN " + table + " AS counter ON counter." + key + " = named.id WHERE "
                + byKey("named.id");
    }

    private String upserting(String changes, String order) {
        return "INSERT INTO " + table + " AS counter (" + key + ", " + value + ") SELECT id, delta FROM " + changes
                + order + onConflictAdding() + " RETURNING CAST(counter." + key + " AS text), counter." + value;
    }

    private String onConflictAdding() {
        return " ON CONFLICT (" + key + ") DO UPDATE SET " + value + " = counter." + value + " + excluded." + value;
    }

    /** Two statements with the same effect: one for a single counter, at two thirds of the server's processor time, and one for many. */
    public record AddingSql(String one, String many) {

        public String of(Map<String, Long> changes) {
            return changes.size() == 1 ? one : many;
        }
    }

    /**
     * Returns SQL that adds to counters. It fails without an effect if a row stays locked by another transaction for longer than the lock
     * timeout, or a counter is missing from the application's table. It may fail if the transaction's isolation is above READ COMMITTED.
     *
     * <p>Yields the value of the one counter, or names and values. {@link CounterTable#addTogether} sets the parameters.
     *
     * @param with CTEs
     * @param gate the CTE that {@linkplain #SET_LOCK_TIMEOUT sets the lock timeout}, and has a row if the increments are to be made. If it is empty, the statement
     *     succeeds without values. Joined with the rows to change, it is executed before they are locked
     */
    public AddingSql addingTogether(String with, String gate) {
        String name = "CAST(?::text AS " + sqlType + ")";
        if (makesCounters) {
            return new AddingSql(
                    "WITH " + with + " INSERT INTO " + table + " AS counter (" + value + ", " + key
                            + ") SELECT ?::bigint, " + name + " FROM " + gate + onConflictAdding()
                            + " RETURNING counter." + value,
                    "WITH " + with + " " + upserting(changes() + ", " + gate, " ORDER BY 1"));
        }
        String updating = "changed AS (UPDATE " + table + " AS counter SET " + value + " = counter." + value + " + ";
        return new AddingSql(
                "WITH " + with + ", " + updating + "?::bigint FROM " + gate + " WHERE counter." + key + " = " + name
                        + " RETURNING counter." + key + " AS id, counter." + value + " AS value) SELECT value, "
                        + failingUnless("id IS NOT NULL", gate),
                "WITH " + with + ", named AS (SELECT id, delta FROM " + changes() + " WHERE "
                        + byKey("id") + " ORDER BY id), " + updating + "named.delta FROM named, " + gate
                        + " WHERE counter." + key + " = named.id RETURNING CAST(counter." + key
                        + " AS text) AS id, counter."
                        + value + " AS value) SELECT id, value, "
                        + failingUnless("(SELECT count(*) FROM changed) = ?", gate));
    }

    /**
     * Returns SQL that fails unless all increments were made. The join has a row even if nothing was changed, so that the condition is
     * always evaluated.
     */
    private static String failingUnless(String allAreAdded, String gate) {
        return "CASE WHEN " + allAreAdded + " THEN 0 ELSE CAST((SELECT '" + NOT_ALL_ADDED
                + "'::text) AS bigint) END FROM " + gate + " LEFT JOIN changed ON true";
    }

    /**
     * Returns a condition that is always true, and makes the planner expect one row. Otherwise the planner expects ten, regardless of the
     * array, and prefers a sequential scan of a table of some hundred rows to ten lookups.
     */
    private static String byKey(String id) {
        return "num_nonnulls(" + id + ") = 1";
    }

    /** Hides the arrays from the planner, which would otherwise make a plan per length. */
    private String changes() {
        return "unnest((SELECT CAST(?::text[] AS " + sqlType + "[])), (SELECT ?::bigint[])) AS named(id, delta)";
    }
}
