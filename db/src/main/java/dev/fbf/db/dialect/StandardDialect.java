package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.counter.KeyType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/** Databases with standard SQL, by the values in which they differ. They have no filter mode. */
final class StandardDialect implements Dialect {

    private static final String UNIX_TIME = "UNIX_TIMESTAMP()";

    private static final String IS_REPLICA = "SELECT @@read_only";

    private static final StandardDialect MARIADB = new StandardDialect(
            "MariaDB",
            "mariadb",
            '`',
            UNIX_TIME,
            new Impatience("SET STATEMENT innodb_lock_wait_timeout = 0 FOR ", null, null),
            Impatience::ofMySql,
            IS_REPLICA,
            Failures.OF_MYSQL);

    /** Waits for a second, the shortest time that MySQL knows. */
    private static final StandardDialect MYSQL = new StandardDialect(
            "MySQL",
            "mysql",
            '`',
            UNIX_TIME,
            Impatience.ofMySql(Duration.ZERO),
            Impatience::ofMySql,
            IS_REPLICA,
            Failures.OF_MYSQL);

    private static final StandardDialect H2 = new StandardDialect(
            "H2",
            "h2",
            '"',
            "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT)",
            Impatience.ofH2(Duration.ZERO),
            Impatience::ofH2,
            null,
            Failures.OF_H2);

    /** Waits for the other transaction: HSQLDB has no timeout for locks. */
    private static final StandardDialect HSQLDB = new StandardDialect(
            "HSQL Database Engine",
            "hsqldb",
            '"',
            UNIX_TIME,
            Impatience.NONE,
            timeout -> Impatience.NONE,
            null,
            Failures.OF_HSQLDB);

    static final List<StandardDialect> ALL = List.of(MARIADB, MYSQL, H2, HSQLDB);

    private static final List<String> TABLES = List.of("fbf_counter", "fbf_ledger", "fbf_response");

    /** The name of the database's product, as its driver reports it. */
    final String product;

    /** The directory of its migrations. */
    private final String directory;

    private final char quote;

    /** Expression for the database's time, in seconds since 1970. */
    final String now;

    /** The way to execute a statement that must not wait for another transaction's lock. */
    final Impatience impatience;

    /** The way to execute statements that may wait for a time only, by that time. */
    private final Function<Duration, Impatience> patience;

    private final @Nullable String isReadOnly;

    /** Whether IF is a statement. */
    final boolean hasCompoundStatements;

    /** PostgreSQL's SQL states of the database's error codes. */
    private final Map<Integer, String> states;

    private StandardDialect(
            String product,
            String directory,
            char quote,
            String now,
            Impatience impatience,
            Function<Duration, Impatience> patience,
            @Nullable String isReadOnly,
            Map<Integer, String> states) {
        this.product = product;
        this.directory = directory;
        this.quote = quote;
        this.now = now;
        this.impatience = impatience;
        this.patience = patience;
        this.isReadOnly = isReadOnly;
        hasCompoundStatements = product.equals("MariaDB");
        this.states = states;
    }

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

    /** Error codes with their SQL states in PostgreSQL. */
    private static final class Failures {

        static final Map<Integer, String> OF_MYSQL = Map.ofEntries(
                Map.entry(1062, SqlFailures.UNIQUE_VIOLATION),
                Map.entry(1205, SqlFailures.LOCK_NOT_AVAILABLE),
                Map.entry(1213, SqlFailures.SERIALIZATION_FAILURE),
                Map.entry(1020, SqlFailures.SERIALIZATION_FAILURE),
                Map.entry(1146, SqlFailures.UNDEFINED_TABLE),
                Map.entry(1049, SqlFailures.UNDEFINED_SCHEMA),
                Map.entry(1044, SqlFailures.INSUFFICIENT_PRIVILEGE),
                Map.entry(1142, SqlFailures.INSUFFICIENT_PRIVILEGE),
                Map.entry(1143, SqlFailures.INSUFFICIENT_PRIVILEGE),
                Map.entry(1290, SqlFailures.READ_ONLY),
                Map.entry(1792, SqlFailures.READ_ONLY),
                Map.entry(1836, SqlFailures.READ_ONLY),
                Map.entry(1021, SqlFailures.DISK_FULL),
                Map.entry(1114, SqlFailures.DISK_FULL));

        static final Map<Integer, String> OF_H2 = Map.of(
                50200, SqlFailures.LOCK_NOT_AVAILABLE,
                90131, SqlFailures.LOCK_NOT_AVAILABLE,
                42102, SqlFailures.UNDEFINED_TABLE,
                42103, SqlFailures.UNDEFINED_TABLE,
                42104, SqlFailures.UNDEFINED_TABLE,
                90079, SqlFailures.UNDEFINED_SCHEMA,
                90096, SqlFailures.INSUFFICIENT_PRIVILEGE,
                90097, SqlFailures.READ_ONLY);

        static final Map<Integer, String> OF_HSQLDB = Map.of(-5501, SqlFailures.UNDEFINED_TABLE);
    }

    /** Returns a failure with PostgreSQL's SQL state for it. */
    SQLException translated(SQLException e) {
        String state = states.get(e.getErrorCode());
        return state == null || state.equals(e.getSQLState())
                ? e
                : new SQLException(e.getMessage(), state, e.getErrorCode(), e);
    }

    /** Returns the way to execute statements that may wait for a lock for a time, where the database has one. */
    Impatience patience(Duration timeout) {
        return patience.apply(timeout);
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
                || (isReadOnly != null && Sql.get(connection, isReadOnly, row -> row.getBoolean(1)))) {
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
