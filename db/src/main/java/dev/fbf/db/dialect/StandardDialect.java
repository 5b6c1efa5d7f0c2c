package dev.fbf.db.dialect;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * Databases with standard SQL, by the values in which they differ. They have no filter mode.
 *
 * @param product the name of the database's product, as its driver reports it
 * @param directory the directory of its migrations
 * @param now expression for the database's time, in seconds since 1970
 * @param impatience the SQL that precedes a statement that must not wait for a lock; empty if there is none
 */
record StandardDialect(String product, String directory, String now, String impatience) implements Dialect {

    private static final String UNIX_TIME = "UNIX_TIMESTAMP()";

    private static final String SECONDS = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) AS BIGINT)";

    static final List<StandardDialect> ALL = List.of(
            new StandardDialect("MariaDB", "mariadb", UNIX_TIME, "SET STATEMENT innodb_lock_wait_timeout = 0 FOR "),
            new StandardDialect("MySQL", "mysql", UNIX_TIME, ""),
            new StandardDialect("H2", "standard", SECONDS, ""),
            new StandardDialect("HSQL Database Engine", "standard", UNIX_TIME, ""));

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

    /** Does work, whose failures get PostgreSQL's SQL states. */
    static <T> T translating(Sql.Work<T> work) throws SQLException {
        try {
            return work.get();
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    static SQLException translated(SQLException e) {
        return STATES.entrySet().stream()
                .filter(state -> state.getValue().contains(e.getErrorCode())
                        && !state.getKey().equals(e.getSQLState()))
                .findAny()
                .<SQLException>map(state -> new SQLException(e.getMessage(), state.getKey(), e.getErrorCode(), e))
                .orElse(e);
    }

    /**
     * Does work whose statements wait for a lock no longer than a time. MySQL's shortest is a second. HSQLDB has no timeout for locks, and
     * waits for the other transaction.
     */
    <T> T within(Duration timeout, Connection connection, Sql.Work<T> work) throws SQLException {
        if (!isMySql() && !product.equals("H2")) {
            return translating(work);
        }
        long seconds = Math.max(1, timeout.plusMillis(999).toSeconds());
        String limit = isMySql()
                ? "SET @fbf_wait = @@innodb_lock_wait_timeout, innodb_lock_wait_timeout = " + seconds
                : "SET @fbf_wait = LOCK_TIMEOUT(); SET LOCK_TIMEOUT " + timeout.toMillis();
        Sql.update(connection, limit);
        try {
            return translating(work);
        } finally {
            Sql.update(connection, "SET " + (isMySql() ? "innodb_lock_wait_timeout =" : "LOCK_TIMEOUT") + " @fbf_wait");
        }
    }

    /** Executes a statement that fails instead of waiting for a lock, where the database can do so. */
    int update(Connection connection, String sql, @Nullable Object... parameters) throws SQLException {
        Sql.Work<Integer> update = () -> Sql.update(connection, impatience + sql, parameters);
        return impatience.isEmpty() ? within(Duration.ZERO, connection, update) : translating(update);
    }

    /** Returns whether the database is MySQL or MariaDB, which have catalogs in place of schemas. */
    boolean isMySql() {
        return !directory.equals("standard");
    }

    @Override
    public @Nullable ModeTable modes(String schema) {
        return null;
    }

    @Override
    public String quote(String name) {
        return Identifiers.quote(name, isMySql() ? '`' : '"');
    }

    @Override
    public String schemaOf(Connection connection) throws SQLException {
        String found = isMySql() ? connection.getCatalog() : connection.getSchema();
        if (found == null) {
            throw new SQLException("the connection has no current schema", SqlFailures.UNDEFINED_SCHEMA);
        }
        return found;
    }

    /** Checks that the table can be read: the first operation shows a missing privilege to change it. */
    @Override
    public void check(Connection connection, String table, String privileges) throws SQLException {
        translating(() -> {
            try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
                Sql.find(connection, "SELECT * FROM " + table + " WHERE 1 = 0", row -> true);
                transaction.commit();
                return true;
            }
        });
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
        try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
            int flushes = isMySql()
                    ? Sql.get(connection, "SELECT @@innodb_flush_log_at_trx_commit", row -> row.getInt(1))
                    : 1;
            transaction.commit();
            String warning =
                    "innodb_flush_log_at_trx_commit is " + flushes + ": a crash of the database's host loses the"
                            + " last operations that were acknowledged; set it to 1.";
            return flushes == 1 ? List.of() : List.of(warning);
        }
    }

    @Override
    public boolean migrate(DataSource dataSource, @Nullable String schema) {
        try {
            return Migrations.flyway(dataSource, schema, directory).load().migrate().migrationsExecuted > 0;
        } catch (FlywayException e) {
            SQLException cause = SqlFailures.in(e);
            throw cause == null ? e : new FlywayException(e.getMessage(), translated(cause));
        }
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
        return new StandardLedger(this, new Tables(quote(schema), now));
    }
}
