package dev.fbf.spring.transaction;

import dev.fbf.core.CounterNameException;
import dev.fbf.db.Counters;
import dev.fbf.db.connection.Postgres;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.spring.Mode;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Table of counters in any database, changed with standard SQL in this thread's transaction. Thread-safe.
 *
 * <p>Names are case-sensitive. If no table has exactly the given names, a database that stores unquoted identifiers in upper case is also
 * searched for the names in upper case.
 */
final class PlainTable implements PlainCounters.Values {

    private static final Counters.Table OWN = new Counters.Table("fbf_counter", "name", "value");
    private static final int LONGEST_NAME = 255;
    private static final String CONSTRAINT_VIOLATION = "23";

    private final JdbcTemplate jdbc;
    private final SchemaMigration migration;
    private final boolean own;
    private final Counters.Table table;

    private volatile @Nullable Statements statements;

    /**
     * @param table the application's table; null for fbf's own
     */
    PlainTable(DataSource dataSource, SchemaMigration migration, Counters.@Nullable Table table) {
        jdbc = new JdbcTemplate(dataSource);
        this.migration = migration;
        own = table == null;
        this.table = table == null ? OWN : table;
    }

    /**
     * Statements that change and read the table.
     *
     * @param names converts a counter's name to the type of the key column
     */
    private record Statements(
            String add, String insert, String read, String keyColumn, Function<String, Object> names) {}

    @Override
    public Map<String, Long> add(Map<String, Long> deltas) {
        Map<String, Long> values = new HashMap<>();
        new TreeMap<>(deltas).forEach((counter, delta) -> values.put(counter, add(counter, delta)));
        return values;
    }

    private long add(String counter, long delta) {
        Statements known = statements();
        Object key = known.names.apply(counter);
        if (jdbc.update(known.add, delta, key) == 0
                && (!own || !insert(known, key, delta))
                && jdbc.update(known.add, delta, key) == 0) {
            throw new UnknownCounterException(table.name(), counter);
        }
        return Objects.requireNonNull(
                jdbc.queryForObject(known.read + known.keyColumn + " = ?", (row, number) -> row.getLong(2), key));
    }

    /** Inserts the row of a counter; returns false if that violates a constraint, as when another transaction has inserted the row. */
    private boolean insert(Statements known, Object key, long delta) {
        return Boolean.TRUE.equals(jdbc.execute((ConnectionCallback<Boolean>) connection -> {
            Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
            try (var insert = connection.prepareStatement(known.insert)) {
                insert.setObject(1, key);
                insert.setLong(2, delta);
                return insert.executeUpdate() == 1;
            } catch (SQLException e) {
                if (!String.valueOf(e.getSQLState()).startsWith(CONSTRAINT_VIOLATION)) {
                    throw e;
                }
                if (before != null) {
                    connection.rollback(before);
                }
                return false;
            }
        }));
    }

    @Override
    public Map<String, Long> values(Collection<String> counters) {
        if (counters.isEmpty()) {
            return Map.of();
        }
        Statements known = statements();
        Map<String, String> byKey = new HashMap<>();
        List<Object> keys = new ArrayList<>();
        for (String counter : counters) {
            Object key = known.names.apply(counter);
            keys.add(key);
            byKey.put(key.toString(), counter);
        }
        String places = String.join(", ", Collections.nCopies(keys.size(), "?"));
        Map<String, Long> values = new HashMap<>();
        jdbc.query(
                known.read + known.keyColumn + " IN (" + places + ")",
                row -> {
                    values.put(Objects.requireNonNull(byKey.get(row.getString(1))), row.getLong(2));
                },
                keys.toArray());
        return values;
    }

    /**
     * Looks for the table, and creates fbf's own. Uses a separate connection, because some databases commit before they create a table.
     */
    @Override
    public synchronized void open() {
        DataSource dataSource = Objects.requireNonNull(jdbc.getDataSource());
        try (Connection connection = dataSource.getConnection()) {
            if (own) {
                make(connection, dataSource, migration);
            }
            statements = find(connection);
        } catch (SQLException e) {
            throw Objects.requireNonNull(jdbc.getExceptionTranslator().translate("check the counters' table", null, e));
        }
    }

    private Statements statements() {
        if (statements == null) {
            open();
        }
        return Objects.requireNonNull(statements);
    }

    private static void make(Connection connection, DataSource dataSource, SchemaMigration migration)
            throws SQLException {
        if (Postgres.is(connection)) {
            migration.migrate(dataSource, Mode.LEDGER);
            return;
        }
        UnaryOperator<String> stored = stored(connection.getMetaData());
        try (Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE IF NOT EXISTS " + stored.apply(OWN.name()) + " (" + stored.apply(OWN.key())
                    + " VARCHAR(" + LONGEST_NAME + ") NOT NULL PRIMARY KEY, " + stored.apply(OWN.value())
                    + " BIGINT NOT NULL)");
        }
    }

    /** Finds the table by its names as given, then in upper case if the database stores unquoted identifiers like that. */
    private Statements find(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String schema = own && Postgres.is(connection) ? migration.schemaName() : null;
        UnaryOperator<String> exactly = name -> quoted(name, database);
        try {
            return find(connection, exactly, schema);
        } catch (SQLException e) {
            if (database.storesUpperCaseIdentifiers()) {
                return find(connection, stored(database), schema);
            }
            throw e;
        }
    }

    private Statements find(Connection connection, UnaryOperator<String> quoted, @Nullable String schema)
            throws SQLException {
        String name = Stream.concat(
                        Stream.ofNullable(schema), Stream.of(table.name().split("\\.", -1)))
                .map(quoted)
                .collect(Collectors.joining("."));
        String key = quoted.apply(table.key());
        String value = quoted.apply(table.value());
        String read = "SELECT " + key + ", " + value + " FROM " + name + " WHERE ";
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery(read + "1 = 0")) {
            return new Statements(
                    "UPDATE " + name + " SET " + value + " = " + value + " + ? WHERE " + key + " = ?",
                    "INSERT INTO " + name + " (" + key + ", " + value + ") VALUES (?, ?)",
                    read,
                    key,
                    names(none.getMetaData().getColumnTypeName(1)));
        }
    }

    private static UnaryOperator<String> stored(DatabaseMetaData database) throws SQLException {
        boolean upper = database.storesUpperCaseIdentifiers();
        return name -> quoted(upper ? name.toUpperCase(Locale.ROOT) : name, database);
    }

    private static String quoted(String name, DatabaseMetaData database) {
        try {
            String quote = database.getIdentifierQuoteString();
            return quote + name.replace(quote, quote + quote) + quote;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Function<String, Object> names(String type) {
        String lower = type.toLowerCase(Locale.ROOT);
        if (lower.equals("uuid")) {
            return name -> parsed(name, "a UUID", UUID::fromString);
        }
        return lower.contains("int") ? name -> parsed(name, "a number", Long::valueOf) : PlainTable::checked;
    }

    private static Object parsed(String name, String what, Function<String, Object> parser) {
        try {
            return parser.apply(name);
        } catch (IllegalArgumentException e) {
            throw new CounterNameException(name, "must be " + what);
        }
    }

    static String checked(String name) {
        if (name.isEmpty() || name.length() > LONGEST_NAME) {
            throw new CounterNameException(name, "must have 1 to " + LONGEST_NAME + " characters");
        }
        return name;
    }
}
