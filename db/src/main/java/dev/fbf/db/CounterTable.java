package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Counters, one in each row of a table: fbf's own, {@code fbf_counter}, which has every counter that is added to, or a
 * table of the application's, which has those that the application has inserted.
 *
 * <p>Works on the caller's connection and in the caller's transaction; guards nothing by itself. PostgreSQL only.
 * Immutable and thread-safe.
 */
public final class CounterTable {

    private static final int LONGEST_NAME = 255;

    private static final String DESCRIBE = """
            SELECT format_type(key.atttypid, NULL), format_type(number.atttypid, NULL),
              EXISTS (SELECT FROM pg_index
                WHERE indrelid = key.attrelid AND indisunique AND indpred IS NULL AND indnkeyatts = 1 AND indkey[0] = key.attnum)
            FROM (SELECT to_regclass(?)::oid AS id) AS named
            LEFT JOIN pg_attribute AS key ON key.attrelid = id AND key.attname = ? AND NOT key.attisdropped
            LEFT JOIN pg_attribute AS number ON number.attrelid = id AND number.attname = ? AND NOT number.attisdropped
            WHERE id IS NOT NULL
            """;

    /** Stands before the name of a counter that is missing, in what is no number. */
    private static final String UNKNOWN = "unknown counter: ";

    private static final String INVALID_TEXT = "22P02";

    private static final List<String> INTEGERS = List.of("bigint", "integer", "smallint");

    private final String table;
    private final String key;
    private final String value;
    private final String keyType;

    /** Whether a counter that is not there begins at 0. */
    private final boolean makesCounters;

    private CounterTable(String table, String key, String value, String keyType, boolean makesCounters) {
        this.table = table;
        this.key = key;
        this.value = value;
        this.keyType = keyType;
        this.makesCounters = makesCounters;
    }

    /**
     * The table that fbf brings along. Its counters have names of 1 to 255 characters, and begin at 0.
     *
     * @return {@code fbf_counter}
     */
    public static CounterTable ofFbf() {
        return new CounterTable("fbf_counter", "name", "value", "varchar", true);
    }

    /**
     * A table of the application's.
     *
     * @param connection a connection to its database
     * @param table its name, as in {@code page} or {@code shop.page}; upper and lower case matter
     * @param key the column that names the counter, of any type; unique
     * @param value the column that has its value: {@code bigint}, {@code integer} or {@code smallint}
     * @return the table
     * @throws IllegalArgumentException if there is no such table, or its columns are not like that
     * @throws SQLException if the database cannot be reached
     */
    public static CounterTable of(Connection connection, String table, String key, String value) throws SQLException {
        String quoted = Identifiers.quoteQualified(table);
        try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
            statement.setString(1, quoted);
            statement.setString(2, key);
            statement.setString(3, value);
            try (ResultSet rows = statement.executeQuery()) {
                require(
                        rows.next(),
                        "table",
                        table,
                        "there is no such table on the search path; upper and lower case matter");
                String keyType = rows.getString(1);
                String valueType = rows.getString(2);
                require(keyType != null, "key", key, "the table " + table + " has no such column");
                require(valueType != null, "value", value, "the table " + table + " has no such column");
                require(
                        rows.getBoolean(3),
                        "key",
                        key,
                        "needs a unique index in " + table + ", or an increment would hit many rows");
                require(
                        INTEGERS.contains(valueType),
                        "value",
                        value,
                        "is " + valueType + " in " + table + ", and must be one of " + INTEGERS);
                return new CounterTable(quoted, Identifiers.quote(key), Identifiers.quote(value), keyType, false);
            }
        }
    }

    /**
     * Adds to a counter.
     *
     * @param connection the caller's connection
     * @param counter the counter's name
     * @param delta what to add, negative to subtract
     * @return the counter's new value
     * @throws UnknownCounterException if there is no such counter
     * @throws SQLException if the value would leave its range (SQL state 22003) or violate a constraint (class 23), the
     *     name is none of the key's type (class 22), or the database cannot be reached
     */
    public long add(Connection connection, String counter, long delta) throws SQLException {
        requireName(counter);
        try (PreparedStatement statement = connection.prepareStatement(adding())) {
            statement.setLong(1, delta);
            statement.setString(2, counter);
            try (ResultSet rows = statement.executeQuery()) {
                if (!rows.next()) {
                    throw unknown(counter);
                }
                return rows.getLong(1);
            }
        }
    }

    /**
     * Reads a counter.
     *
     * @param connection the caller's connection
     * @param counter the counter's name
     * @return the value; empty if there is no such counter
     * @throws SQLException if the name is none of the key's type (class 22), or the database cannot be reached
     */
    public OptionalLong value(Connection connection, String counter) throws SQLException {
        Long known = values(connection, List.of(counter)).get(counter);
        return known == null ? OptionalLong.empty() : OptionalLong.of(known);
    }

    /**
     * Reads many counters at once, as they are at one moment.
     *
     * @param connection the caller's connection
     * @param counters their names
     * @return the values of those that are there
     * @throws SQLException if a name is none of the key's type (class 22), or the database cannot be reached
     */
    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        counters.forEach(this::requireName);
        String sql = "SELECT asked.name, counter." + value + " FROM unnest(?::text[]) AS asked(name) JOIN " + table
                + " AS counter ON counter." + key + " = " + typed("asked.name");
        Map<String, Long> values = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(1, connection.createArrayOf("text", counters.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    values.put(rows.getString(1), rows.getLong(2));
                }
            }
        }
        return values;
    }

    /**
     * SQL that adds many deltas: what follows a CTE {@code change (n, name, delta)}. Yields for each n the counter's key
     * as it is in the table, and the value after all. Fails as a whole if a counter is missing. Locks the rows in the
     * order of their keys, so that nodes never wait for one another in a circle.
     */
    String addingChanges() {
        String sums = ", typed AS (SELECT n, name, " + typed("name") + " AS id, delta FROM change)"
                + ", sums AS (SELECT id, CAST(sum(delta) AS bigint) AS delta FROM typed GROUP BY id)";
        return sums + (makesCounters ? upserted() : updated());
    }

    private String upserted() {
        return ", changed AS (INSERT INTO " + table + " AS counter (" + key + ", " + value + ")"
                + " SELECT id, delta FROM sums ORDER BY id"
                + " ON CONFLICT (" + key + ") DO UPDATE SET " + value + " = counter." + value + " + excluded." + value
                + " RETURNING counter." + key + " AS id, counter." + value + " AS value)"
                + " SELECT n, CAST(id AS text), value FROM typed JOIN changed USING (id)";
    }

    /** The cast of what is no number fails, and names the counter that is missing. */
    private String updated() {
        return ", locked AS (SELECT counter." + key + " AS id FROM " + table + " AS counter"
                + " WHERE counter." + key + " = ANY (ARRAY(SELECT id FROM sums)) ORDER BY 1 FOR NO KEY UPDATE)"
                + ", changed AS (UPDATE " + table + " AS counter SET " + value + " = counter." + value + " + sums.delta"
                + " FROM locked JOIN sums USING (id) WHERE counter." + key + " = locked.id"
                + " RETURNING counter." + key + " AS id, counter." + value + " AS value)"
                + " SELECT n, CAST(changed.id AS text), COALESCE(changed.value, CAST('" + UNKNOWN
                + "' || name AS bigint)) FROM typed LEFT JOIN changed USING (id)";
    }

    /** What {@link #addingChanges()} failed of, if it was to add to this counter alone. */
    Exception explain(SQLException e, String counter) {
        boolean isUnknown = INVALID_TEXT.equals(e.getSQLState())
                && String.valueOf(e.getMessage()).contains(UNKNOWN + counter);
        return isUnknown ? unknown(counter) : e;
    }

    private UnknownCounterException unknown(String counter) {
        return new UnknownCounterException(table, counter);
    }

    /** What can be seen of a name without the database. */
    void requireName(String counter) {
        if (makesCounters && (counter.isEmpty() || counter.length() > LONGEST_NAME)) {
            throw new IllegalArgumentException(
                    "counter=" + counter + ": must have 1 to " + LONGEST_NAME + " characters");
        }
    }

    private String adding() {
        return makesCounters
                ? "INSERT INTO " + table + " AS counter (" + value + ", " + key + ") VALUES (?, ?) ON CONFLICT (" + key
                        + ") DO UPDATE SET " + value + " = counter." + value + " + excluded." + value
                        + " RETURNING counter." + value
                : "UPDATE " + table + " SET " + value + " = " + value + " + ? WHERE " + key + " = " + typed("?::text")
                        + " RETURNING " + value;
    }

    private String typed(String text) {
        return "CAST(" + text + " AS " + keyType + ")";
    }

    private static void require(boolean fine, String name, String given, String rule) {
        if (!fine) {
            throw new IllegalArgumentException(name + "=" + given + ": " + rule);
        }
    }
}
