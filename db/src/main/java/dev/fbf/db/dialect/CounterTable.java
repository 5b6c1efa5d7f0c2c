package dev.fbf.db.dialect;

import static java.util.Objects.requireNonNull;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.counter.UnknownCounterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Table of counters in PostgreSQL. */
public final class CounterTable implements CounterRows {

    private static final String SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', ?, true)";

    private static final String DESCRIBE = """
            SELECT format_type(key.atttypid, NULL), format_type(number.atttypid, NULL),
              EXISTS (SELECT FROM pg_index
                WHERE indrelid = key.attrelid AND indisunique AND indpred IS NULL AND indnkeyatts = 1 AND indkey[0] = key.attnum),
              EXISTS (SELECT FROM pg_collation WHERE oid = key.attcollation AND NOT collisdeterministic)
            FROM (SELECT to_regclass(?)::oid AS id) AS named
            LEFT JOIN pg_attribute AS key ON key.attrelid = id AND key.attname = ? AND NOT key.attisdropped
            LEFT JOIN pg_attribute AS number ON number.attrelid = id AND number.attname = ? AND NOT number.attisdropped
            WHERE id IS NOT NULL
            """;

    static final List<String> INTEGERS = List.of("bigint", "integer", "smallint");

    private final CounterSql sql;
    private final KeyType keyType;

    private CounterTable(CounterSql sql, KeyType keyType) {
        this.sql = sql;
        this.keyType = keyType;
    }

    /** Creates the table for fbf's own counters, by its name in SQL. */
    public static CounterTable ofFbf(String table) {
        return new CounterTable(new CounterSql(table, "name", "value", "varchar", true), KeyType.TEXT);
    }

    /**
     * Describes an existing table of the application that contains counters.
     *
     * @throws IllegalArgumentException if the table or a column does not exist or has an invalid name, or a column is not as {@code
     *     Counters.Table} requires
     */
    public static CounterTable of(Connection connection, String table, String key, String value) throws SQLException {
        String quoted = Identifiers.quoteQualified(table);
        try (PreparedStatement statement = connection.prepareStatement(DESCRIBE)) {
            statement.setString(1, quoted);
            statement.setString(2, key);
            statement.setString(3, value);
            try (ResultSet rows = statement.executeQuery()) {
                require(rows.next(), "table", table, "there is no such table on the search path");
                String sqlType = rows.getString(1);
                String valueType = rows.getString(2);
                require(sqlType != null, "key", key, "the table " + table + " has no such column");
                require(valueType != null, "value", value, "the table " + table + " has no such column");
                KeyType keyType = KeyType.of(sqlType);
                require(keyType != null, "key", key, is(sqlType, table, KeyType.SQL_TYPES));
                require(INTEGERS.contains(valueType), "value", value, is(valueType, table, INTEGERS));
                require(rows.getBoolean(3), "key", key, notUnique(table));
                require(!rows.getBoolean(4), "key", key, "must have a deterministic collation in " + table);
                CounterSql sql =
                        new CounterSql(quoted, Identifiers.quote(key), Identifiers.quote(value), sqlType, false);
                return new CounterTable(sql, requireNonNull(keyType));
            }
        }
    }

    public CounterSql sql() {
        return sql;
    }

    @Override
    public boolean makesCounters() {
        return sql.makesCounters();
    }

    @Override
    public long addWithin(Connection connection, String counter, long delta, Duration timeout) throws SQLException {
        Sql.get(connection, SET_LOCK_TIMEOUT, row -> row.getString(1), timeout.toMillis() + "ms");
        return add(connection, counter, delta);
    }

    @Override
    public long add(Connection connection, String counter, long delta) throws SQLException {
        String name = canonical(counter);
        Long value = Sql.find(connection, sql.adding(), row -> row.getLong(1), delta, name);
        if (value == null) {
            throw unknown(counter);
        }
        return value;
    }

    @Override
    public Map<String, Long> addAll(Connection connection, Map<String, Long> deltas) throws SQLException {
        Map<String, Long> changes = new LinkedHashMap<>();
        deltas.forEach((counter, delta) -> changes.merge(canonical(counter), delta, Math::addExact));
        return valuesOf(deltas.keySet(), connection, sql.addingAll(), arrays(connection, changes));
    }

    @Override
    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        Object[] names = counters.stream().map(this::canonical).toArray();
        return valuesOf(counters, connection, sql.reading(), connection.createArrayOf("text", names));
    }

    /** Executes a statement whose columns are keys and values of counters; returns the values by the callers' names. */
    private Map<String, Long> valuesOf(
            Collection<String> counters, Connection connection, String statement, Object... parameters)
            throws SQLException {
        Map<String, Long> known = new HashMap<>();
        Sql.rows(connection, statement, row -> known.put(row.getString(1), row.getLong(2)), parameters);
        Map<String, Long> values = new LinkedHashMap<>();
        for (String counter : counters) {
            Long value = known.get(canonical(counter));
            if (value != null) {
                values.put(counter, value);
            }
        }
        return values;
    }

    /** Returns the arrays of the counters' names and deltas. */
    private static Object[] arrays(Connection connection, Map<String, Long> changes) throws SQLException {
        // the driver sends arrays of these types in binary, and others as text
        String[] names = changes.keySet().toArray(new String[0]);
        Long[] deltas = changes.values().toArray(new Long[0]);
        return new Object[] {connection.createArrayOf("text", names), connection.createArrayOf("bigint", deltas)};
    }

    /**
     * Adds to counters in a transaction of its own, which has committed when this returns their values.
     *
     * @param connection in autocommit
     * @param sql the statement
     * @param first the parameters of the statement's CTEs
     */
    public Map<String, Long> addTogether(
            Connection connection, CounterSql.AddingSql sql, Map<String, Long> changes, Object... first)
            throws SQLException {
        List<Object> parameters = new ArrayList<>(List.of(first));
        boolean isOne = changes.size() == 1;
        String name = changes.keySet().iterator().next();
        if (isOne) {
            parameters.addAll(List.of(changes.values().iterator().next(), name));
        } else {
            parameters.addAll(List.of(arrays(connection, changes)));
            if (!this.sql.makesCounters()) {
                parameters.add(changes.size());
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.of(changes))) {
            Sql.bind(statement, parameters.toArray());
            statement.execute();
            SqlFailures.requireReplicated(statement.getWarnings());
            Map<String, Long> values = new HashMap<>();
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    values.put(isOne ? name : rows.getString(1), rows.getLong(isOne ? 1 : 2));
                }
            }
            return values;
        }
    }

    @Override
    public UnknownCounterException unknown(String counter) {
        return new UnknownCounterException(sql.table(), counter);
    }

    @Override
    public String canonical(String counter) {
        return keyType.canonical(counter, sql.makesCounters());
    }

    static String is(String type, String table, List<String> allowed) {
        return "is " + type + " in " + table + ", and must be one of " + allowed;
    }

    static String notUnique(String table) {
        return "needs a unique index in " + table + ", or an increment would hit many rows";
    }

    static void require(boolean fine, String name, String given, String rule) {
        if (!fine) {
            throw new IllegalArgumentException(name + "=" + given + ": " + rule);
        }
    }
}
