package dev.fbf.db.dialect;

import static java.util.Objects.requireNonNull;

import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.counter.UnknownCounterException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counters in databases with standard SQL: each increment is an UPDATE and a SELECT, which sees the transaction's own change in every
 * isolation. Several counters are added to in the order of their names.
 */
final class StandardCounters implements CounterRows {

    private final StandardDialect dialect;
    private final String table;
    private final KeyType keyType;
    private final boolean makesCounters;
    private final String add;
    private final String make;
    private final String read;

    /**
     * @param table the table's name in SQL, as are the columns'
     * @param makesCounters whether a missing counter is created at 0
     */
    StandardCounters(
            StandardDialect dialect, String table, String key, String value, KeyType keyType, boolean makesCounters) {
        this.dialect = dialect;
        this.table = table;
        this.keyType = keyType;
        this.makesCounters = makesCounters;
        add = "UPDATE " + table + " SET " + value + " = " + value + " + ? WHERE " + key + " = ?";
        make = "INSERT INTO " + table + " (" + value + ", " + key + ") VALUES (?, ?)"
                + (dialect.isMySql()
                        ? " ON DUPLICATE KEY UPDATE " + value + " = " + value + " + VALUES(" + value + ")"
                        : "");
        read = "SELECT " + key + ", " + value + " FROM " + table + " WHERE " + key + " IN (";
    }

    /** Describes an existing table of the application, by names in upper case where the database stores unquoted ones so. */
    static StandardCounters of(StandardDialect dialect, Connection connection, String table, String key, String value)
            throws SQLException {
        boolean isUpper = connection.getMetaData().storesUpperCaseIdentifiers();
        UnaryOperator<String> stored = name -> isUpper ? name.toUpperCase(Locale.ROOT) : name;
        String[] names = stored.apply(table).split("\\.", -1);
        String quoted = Arrays.stream(names).map(dialect::quote).collect(Collectors.joining("."));
        String itsKey = dialect.quote(stored.apply(key));
        String itsValue = dialect.quote(stored.apply(value));
        String query = "SELECT " + itsKey + ", " + itsValue + " FROM " + quoted + " WHERE 1 = 0";
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery(query)) {
            String keyIs = type(none, 1);
            String valueIs = type(none, 2);
            KeyType keyType = KeyType.of(keyIs);
            boolean isInteger = KeyType.of(valueIs) == KeyType.NUMBER;
            boolean isUnique = isUnique(dialect, connection, names, stored.apply(key));
            CounterTable.require(keyType != null, "key", key, CounterTable.is(keyIs, table, KeyType.SQL_TYPES));
            CounterTable.require(isInteger, "value", value, CounterTable.is(valueIs, table, CounterTable.INTEGERS));
            CounterTable.require(isUnique, "key", key, CounterTable.notUnique(table));
            return new StandardCounters(dialect, quoted, itsKey, itsValue, requireNonNull(keyType), false);
        } catch (SQLException e) {
            throw new IllegalArgumentException(
                    "table=" + table + ", key=" + key + ", value=" + value + ": cannot be read: " + e.getMessage(), e);
        }
    }

    private static String type(ResultSet rows, int column) throws SQLException {
        String name = rows.getMetaData().getColumnTypeName(column).toLowerCase(Locale.ROOT);
        return name.replace(" unsigned", "");
    }

    /** Returns whether an index of the column alone is unique. */
    private static boolean isUnique(StandardDialect dialect, Connection connection, String[] table, String column)
            throws SQLException {
        String home = table.length > 1 ? table[0] : dialect.schemaOf(connection);
        String catalog = dialect.isMySql() ? home : null;
        String schema = dialect.isMySql() ? null : home;
        String name = table[table.length - 1];
        Map<String, Set<String>> indexes = new HashMap<>();
        try (ResultSet rows = connection.getMetaData().getIndexInfo(catalog, schema, name, true, false)) {
            while (rows.next()) {
                indexes.computeIfAbsent(rows.getString("INDEX_NAME"), index -> new HashSet<>())
                        .add(rows.getString("COLUMN_NAME"));
            }
        }
        return indexes.containsValue(Set.of(column));
    }

    @Override
    public boolean makesCounters() {
        return makesCounters;
    }

    @Override
    public long add(Connection connection, String counter, long delta) throws SQLException {
        Long value = addAll(connection, Map.of(counter, delta)).get(counter);
        if (value == null) {
            throw unknown(counter);
        }
        return value;
    }

    /** Adds to a row, which is created if necessary and allowed; returns false if it does not exist. */
    private boolean change(Connection connection, Object key, long delta) throws SQLException {
        String first = makesCounters && dialect.isMySql() ? make : add; // an UPDATE of a missing row would lock its gap
        if (Sql.update(connection, first, delta, key) > 0) {
            return true;
        }
        try {
            return makesCounters && Sql.update(connection, make, delta, key) > 0;
        } catch (SQLException e) {
            if (!SqlFailures.UNIQUE_VIOLATION.equals(e.getSQLState())) {
                throw e;
            }
            return Sql.update(connection, add, delta, key) > 0; // another transaction has created the row
        }
    }

    @Override
    public Map<String, Long> addAll(Connection connection, Map<String, Long> deltas) throws SQLException {
        return StandardDialect.translating(() -> {
            Map<String, Long> values = new HashMap<>();
            for (Map.Entry<String, Long> each : new TreeMap<>(deltas).entrySet()) {
                Object key = key(each.getKey());
                if (change(connection, key, each.getValue())) {
                    values.put(each.getKey(), requireNonNull(value(connection, key)));
                }
            }
            return values;
        });
    }

    /** Reads with one statement, and again the counters whose rows have another name that the column's collation takes for the same. */
    @Override
    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        Map<String, Long> values = new HashMap<>();
        if (counters.isEmpty()) {
            return values;
        }
        String places = String.join(", ", Collections.nCopies(counters.size(), "?"));
        Object[] keys = counters.stream().map(this::key).toArray();
        Map<String, Long> known = new HashMap<>();
        return StandardDialect.translating(() -> {
            Sql.rows(connection, read + places + ")", row -> known.put(row.getString(1), row.getLong(2)), keys);
            for (String counter : counters) {
                Long exact = known.get(canonical(counter));
                Long value = exact == null ? value(connection, key(counter)) : exact;
                if (value != null) {
                    values.put(counter, value);
                }
            }
            return values;
        });
    }

    private @Nullable Long value(Connection connection, Object key) throws SQLException {
        return Sql.find(connection, read + "?)", row -> row.getLong(2), key);
    }

    private Object key(String counter) {
        return keyType.parsed(canonical(counter));
    }

    @Override
    public UnknownCounterException unknown(String counter) {
        return new UnknownCounterException(table, counter);
    }

    @Override
    public String canonical(String counter) {
        return keyType.canonical(counter, makesCounters);
    }

    @Override
    public long addWithin(Connection connection, String counter, long delta, Duration timeout) throws SQLException {
        return dialect.within(timeout, connection, () -> add(connection, counter, delta));
    }
}
