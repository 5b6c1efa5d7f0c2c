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
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Table of counters in PostgreSQL. */
public final class CounterTable implements CounterRows {

    /** The timeout after which a group's statement on a table of the application is canceled. */
    private static final int SECONDS = 2;

    private static final String SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', ?, true)";

    private static final String DESCRIBE = """
            SELECT format_type(key.atttypid, NULL), format_type(number.atttypid, NULL),
              EXISTS (SELECT FROM pg_index
                WHERE indrelid = key.attrelid AND indisunique AND indpred IS NULL AND indnkeyatts = 1 AND indkey[0] = key.attnum),
              EXISTS (SELECT FROM pg_collation WHERE oid = key.attcollation AND NOT collisdeterministic),
              has_column_privilege(id, key.attnum, 'SELECT') AND has_column_privilege(id, number.attnum, 'SELECT')
                AND has_column_privilege(id, number.attnum, 'UPDATE'),
              (SELECT relkind IN ('v', 'm') FROM pg_class WHERE oid = id)
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
                require(
                        rows.next(),
                        "table",
                        table,
                        "there is no such table on the search path; upper and lower case matter");
                require(!rows.getBoolean(6), "table", table, "is a view: name the table below it");
                String sqlType = rows.getString(1);
                String valueType = rows.getString(2);
                require(sqlType != null, "key", key, "the table " + table + " has no such column");
                require(valueType != null, "value", value, "the table " + table + " has no such column");
                KeyType keyType = KeyType.of(sqlType);
                require(keyType != null, "key", key, is(sqlType, table, KeyType.SQL_TYPES));
                require(INTEGERS.contains(valueType), "value", value, is(valueType, table, INTEGERS));
                require(rows.getBoolean(3), "key", key, notUnique(table));
                require(
                        !rows.getBoolean(4),
                        "key",
                        key,
                        "has a nondeterministic collation in " + table
                                + ", by which different names are one counter; give it a deterministic one");
                require(rows.getBoolean(5), "table", table, "this user may not read and update its counters");
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
        try (PreparedStatement statement = connection.prepareStatement(sql.addingAll())) {
            bindChanges(connection, statement, 0, changes);
            return valuesOf(deltas.keySet(), statement);
        }
    }

    @Override
    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.reading())) {
            Object[] names = counters.stream().map(this::canonical).toArray();
            statement.setArray(1, connection.createArrayOf("text", names));
            return valuesOf(counters, statement);
        }
    }

    /** Executes a statement whose columns are keys and values of counters; returns the values by the callers' names. */
    private Map<String, Long> valuesOf(Collection<String> counters, PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            Map<String, Long> known = keysAndValues(rows);
            Map<String, Long> values = new LinkedHashMap<>();
            for (String counter : counters) {
                Long value = known.get(canonical(counter));
                if (value != null) {
                    values.put(counter, value);
                }
            }
            return values;
        }
    }

    /** Sets the parameters of the counters' names and deltas after {@code offset}; returns the new number of parameters. */
    private static int bindChanges(
            Connection connection, PreparedStatement statement, int offset, Map<String, Long> changes)
            throws SQLException {
        // the driver sends arrays of these types in binary, and others as text
        String[] names = changes.keySet().toArray(new String[0]);
        Long[] deltas = changes.values().toArray(new Long[0]);
        statement.setArray(offset + 1, connection.createArrayOf("text", names));
        statement.setArray(offset + 2, connection.createArrayOf("bigint", deltas));
        return offset + 2;
    }

    private static Map<String, Long> keysAndValues(ResultSet rows) throws SQLException {
        Map<String, Long> values = new HashMap<>();
        while (rows.next()) {
            values.put(rows.getString(1), rows.getLong(2));
        }
        return values;
    }

    /** Setter of a statement's first parameters; returns their number. A cached statement may name another connection, or none. */
    public interface Binder {
        int bind(Connection connection, PreparedStatement statement) throws SQLException;
    }

    /**
     * Adds to counters in a transaction of its own, which has committed when this returns their values.
     *
     * @param connection in autocommit
     * @param sql the statement
     * @param first sets the parameters of the statement's CTEs
     */
    public Map<String, Long> addTogether(
            Connection connection, CounterSql.AddingSql sql, Binder first, Map<String, Long> changes)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.of(changes))) {
            bindTogether(connection, statement, first.bind(connection, statement), changes);
            statement.execute();
            SqlFailures.requireReplicated(statement.getWarnings());
            try (ResultSet rows = statement.getResultSet()) {
                return changes.size() == 1 ? valueOf(changes, rows) : keysAndValues(rows);
            }
        }
    }

    private static Map<String, Long> valueOf(Map<String, Long> one, ResultSet rows) throws SQLException {
        return rows.next() ? Map.of(one.keySet().iterator().next(), rows.getLong(1)) : Map.of();
    }

    private void bindTogether(Connection connection, PreparedStatement statement, int offset, Map<String, Long> changes)
            throws SQLException {
        if (changes.size() == 1) {
            Map.Entry<String, Long> change = changes.entrySet().iterator().next();
            statement.setLong(offset + 1, change.getValue());
            statement.setString(offset + 2, change.getKey());
        } else {
            int set = bindChanges(connection, statement, offset, changes);
            if (!sql.makesCounters()) {
                statement.setInt(set + 1, changes.size());
            }
        }
        if (!sql.makesCounters()) {
            limit(connection, statement);
        }
    }

    /**
     * Limits the duration of a statement, because the table may have triggers. Has no effect if the connection has a shorter limit anyway:
     * the driver's timer wakes a thread per statement.
     */
    static void limit(Connection connection, PreparedStatement statement) throws SQLException {
        int silence = connection.getNetworkTimeout();
        if (silence == 0 || silence > TimeUnit.SECONDS.toMillis(SECONDS)) {
            statement.setQueryTimeout(SECONDS);
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
