package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * Databases with standard SQL, by the values in which they differ. They have no filter mode.
 *
 * @param product the name of the database's product, as its driver reports it
 * @param directory the directory of its migrations
 * @param quote the mark around quoted names
 * @param now expression for the database's time, in seconds since 1970
 * @param impatience the way to execute a statement that must not wait for another transaction's lock
 * @param withTimeout the way to execute statements that may wait for a lock for a time, by that time
 */
record StandardDialect(
        String product,
        String directory,
        char quote,
        String now,
        Impatience impatience,
        Function<Duration, Impatience> withTimeout)
        implements Dialect {

    private static final Impatience NOT_AT_ALL =
            new Impatience("SET STATEMENT innodb_lock_wait_timeout = 0 FOR ", null, null);

    private static final String UNIX_TIME = "UNIX_TIMESTAMP()";

    private static final String SECONDS = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT)";

    /** MySQL's shortest wait is a second. HSQLDB has no timeout for locks, and waits for the other transaction. */
    static final List<StandardDialect> ALL = List.of(
            new StandardDialect("MariaDB", "mariadb", '`', UNIX_TIME, NOT_AT_ALL, Impatience::ofMySql),
            new StandardDialect(
                    "MySQL", "mysql", '`', UNIX_TIME, Impatience.ofMySql(Duration.ZERO), Impatience::ofMySql),
            new StandardDialect("H2", "standard", '"', SECONDS, Impatience.ofH2(Duration.ZERO), Impatience::ofH2),
            new StandardDialect(
                    "HSQL Database Engine", "standard", '"', UNIX_TIME, Impatience.NONE, timeout -> Impatience.NONE));

    private static final List<String> TABLES = List.of("fbf_counter", "fbf_ledger", "fbf_response");

    /** PostgreSQL's SQL states, with the error codes of MySQL, H2 and HSQLDB (below 0) that have another one. */
    private static final Map<String, Set<Integer>> STATES = Map.of(
            SqlFailures.UNIQUE_VIOLATION, Set.of(1062),
            SqlFailures.LOCK_NOT_AVAILABLE, Set.of(1205, 50200, 90131),
            SqlFailures.SERIALIZATION_FAILURE, Set.of(1213, 1020),
            SqlFailures.UNDEFINED_TABLE, Set.of(1146, 42102, 42103, 42104, -5501),
            SqlFailures.UNDEFINED_SCHEMA, Set.of(1049, 90079),
            SqlFailures.INSUFFICIENT_PRIVILEGE, Set.of(1044, 1142, 1143, 90096),
            SqlFailures.READ_ONLY, Set.of(1290, 1792, 1836, 90097),
            SqlFailures.DISK_FULL, Set.of(1021, 1114));

    /**
     * SQL with which statements fail soon instead of waiting for a lock.
     *
     * @param prefix the SQL that precedes the statement
     * @param before the statement before it; null for none
     * @param after the statement that restores the session; null for none
     */
    record Impatience(
            String prefix,
            @Nullable String before,
            @Nullable String after) {

        static final Impatience NONE = new Impatience("", null, null);

        /** Rounds up to seconds, and to the one that is the least. */
        static Impatience ofMySql(Duration timeout) {
            long seconds = Math.max(1, timeout.plusMillis(999).toSeconds());
            return new Impatience(
                    "",
                    "SET @fbf_wait = @@innodb_lock_wait_timeout, innodb_lock_wait_timeout = " + seconds,
                    "SET innodb_lock_wait_timeout = @fbf_wait");
        }

        static Impatience ofH2(Duration timeout) {
            return new Impatience(
                    "",
                    "SET @fbf_wait = LOCK_TIMEOUT(); SET LOCK_TIMEOUT " + timeout.toMillis(),
                    "SET LOCK_TIMEOUT @fbf_wait");
        }

        /** Work with a connection. */
        interface Work<T> {
            T get() throws SQLException;
        }

        <T> T in(Connection connection, Work<T> work) throws SQLException {
            execute(connection, before);
            try {
                return work.get();
            } finally {
                execute(connection, after);
            }
        }

        /** Executes a statement that may fail because of a lock. */
        int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
            return in(connection, () -> Sql.update(connection, prefix + sql, parameters));
        }

        private static void execute(Connection connection, @Nullable String sql) throws SQLException {
            if (sql != null) {
                Sql.update(connection, sql);
            }
        }
    }

    /** Returns a failure with PostgreSQL's SQL state for it. */
    SQLException translated(SQLException e) {
        return STATES.entrySet().stream()
                .filter(state -> state.getValue().contains(e.getErrorCode())
                        && !state.getKey().equals(e.getSQLState()))
                .findAny()
                .<SQLException>map(state -> new SQLException(e.getMessage(), state.getKey(), e.getErrorCode(), e))
                .orElse(e);
    }

    /** Returns the way to execute statements that may wait for a lock for a time, where the database has one. */
    Impatience withTimeout(Duration timeout) {
        return withTimeout.apply(timeout);
    }

    /** Returns whether IF is a statement. */
    boolean hasCompoundStatements() {
        return product.equals("MariaDB");
    }

    /** Returns whether the database is MySQL or MariaDB, which have catalogs in place of schemas. */
    boolean isMySql() {
        return quote == '`';
    }

    @Override
    public @Nullable ModeTable modes(String schema) {
        return null;
    }

    @Override
    public String quote(String name) {
        if (name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("name=" + name + ": must not be empty or contain NUL");
        }
        String mark = String.valueOf(quote);
        return mark + name.replace(mark, mark + mark) + mark;
    }

    @Override
    public String schemaOf(Connection connection) throws SQLException {
        String found = isMySql() ? connection.getCatalog() : connection.getSchema();
        if (found == null) {
            throw new SQLException("the connection has no current schema", SqlFailures.UNDEFINED_SCHEMA);
        }
        return found;
    }

    /** Executes a statement without rows for each privilege: the database checks them first. */
    @Override
    public void check(Connection connection, String table, String privileges) throws SQLException {
        String none = " FROM " + table + " WHERE 1 = 0";
        try (OwnTransaction transaction = OwnTransaction.begin(connection);
                Statement statement = connection.createStatement()) {
            String column = quote(firstColumn(statement, "SELECT *" + none));
            for (String privilege : privileges.split(" ", -1)) {
                statement.execute(
                        switch (privilege) {
                            case "INSERT" -> "INSERT INTO " + table + " SELECT *" + none;
                            case "UPDATE" -> "UPDATE " + table + " SET " + column + " = " + column + " WHERE 1 = 0";
                            case "DELETE" -> "DELETE" + none;
                            default -> "SELECT *" + none;
                        });
            }
            transaction.commit();
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    private static String firstColumn(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.getMetaData().getColumnName(1);
        }
    }

    @Override
    public void requireWritable(Connection connection) throws SQLException {
        if (connection.isReadOnly()
                || (isMySql() && Sql.get(connection, "SELECT @@read_only", row -> row.getBoolean(1)))) {
            throw new SQLException("the database is read-only", SqlFailures.READ_ONLY);
        }
    }

    @Override
    public List<String> warnings(Connection connection) throws SQLException {
        if (!isMySql()) {
            return List.of();
        }
        try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
            int flushes = Sql.get(connection, "SELECT @@innodb_flush_log_at_trx_commit", row -> row.getInt(1));
            transaction.commit();
            return flushes == 1
                    ? List.of()
                    : List.of("innodb_flush_log_at_trx_commit is " + flushes
                            + ": a crash of the database's host loses the"
                            + " last operations that were acknowledged; set it to 1.");
        }
    }

    @Override
    public boolean migrate(DataSource dataSource, @Nullable String schema, boolean createsSchema) {
        try {
            return !isUpToDate(dataSource, schema)
                    && Migrations.flyway(dataSource, schema, directory)
                                    .createSchemas(createsSchema)
                                    .load()
                                    .migrate()
                                    .migrationsExecuted
                            > 0;
        } catch (FlywayException e) {
            SQLException cause = SqlFailures.in(e);
            throw cause == null ? e : new FlywayException(e.getMessage(), translated(cause));
        }
    }

    private boolean isUpToDate(DataSource dataSource, @Nullable String schema) {
        try (Connection connection = dataSource.getConnection();
                OwnTransaction reading = OwnTransaction.begin(connection)) {
            String history = quote(schema == null ? schemaOf(connection) : schema) + '.' + quote(HISTORY_TABLE);
            String query = "SELECT 1 FROM " + history + " WHERE " + quote("version") + " = ? AND " + quote("success");
            Object found = Sql.find(connection, query, row -> true, Migrations.VERSION);
            reading.commit();
            return found != null;
        } catch (SQLException e) {
            return false; // there is no history, or the migration reports the failure
        }
    }

    @Override
    public @Nullable String missingTables(Connection connection, String schema) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (String table : TABLES) {
            try {
                check(connection, quote(schema) + '.' + table, "SELECT");
            } catch (SQLException e) {
                if (!SqlFailures.UNDEFINED_TABLE.equals(e.getSQLState())) {
                    throw e;
                }
                missing.add(table);
            }
        }
        return missing.isEmpty() ? null : String.join(", ", missing);
    }

    @Override
    public CounterRows counters(String schema) {
        return new StandardCounters(
                this, quote(schema) + ".fbf_counter", "name", quote(isMySql() ? "value" : "VALUE"), KeyType.TEXT, true);
    }

    @Override
    public CounterRows counters(Connection connection, String table, String key, String value) throws SQLException {
        return StandardCounters.of(this, connection, table, key, value);
    }

    @Override
    public Ledger ledger(String schema) {
        return new StandardLedger(this, new Tables(quote(schema)));
    }
}
