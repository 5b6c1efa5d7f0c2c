package dev.fbf.db.dialect;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Migration that creates fbf's tables, with a Flyway instance separate from the application's. All of it is one transaction on one
 * connection, so that a process that is killed leaves nothing behind, and a pool of one connection is enough.
 */
final class Migrations {

    /*
     * Flyway locks its history in a transaction of one connection, and executes scripts on another. With one connection, the script's
     * COMMIT would end the lock before the history's row is written. Flyway can lock with the session instead, but PgBouncer in
     * transaction mode would leave that lock behind on a server's connection. So fbf holds a lock of its own, in a transaction around
     * Flyway's.
     */

    /** The version of the newest migration. */
    static final String VERSION = "1";

    /** Query of the catalog: to_regclass would repeat, after a wait within the transaction, the result from before. */
    private static final String HAS_HISTORY =
            "SELECT true FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = ?";

    /** Query for another schema of the search path that has fbf's tables. */
    private static final String ELSEWHERE = """
            SELECT schemaname FROM pg_catalog.pg_tables
            WHERE tablename = 'fbf_ledger' AND schemaname = ANY (pg_catalog.current_schemas(false)) AND schemaname <> ?
            ORDER BY array_position(pg_catalog.current_schemas(false), schemaname) LIMIT 1
            """;

    /** Query whether the user may create tables in the schema, or the schema itself if it does not exist. */
    private static final String MAY_CREATE = """
            SELECT CASE WHEN pg_catalog.to_regnamespace(?) IS NULL
                THEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
                ELSE pg_catalog.has_schema_privilege(?, 'CREATE') END""";

    private static final String IS_APPLIED = "SELECT true FROM %s WHERE version = ? AND success";

    /** Locks out other processes; the key is "fbf-" and "migr" in ASCII. Two keys of 32 bits are never those of an operation. */
    private static final String LOCK =
            "SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(1717790253, 1835624306)";

    /** Limit of the wait for another process's migration. */
    private static final Duration LOCK_TIMEOUT = Duration.ofMinutes(1);

    private Migrations() {}

    /**
     * Creates or updates the tables.
     *
     * @param schema the schema, which is created if it does not exist; null for the data source's default schema
     * @return false if they were up to date
     * @throws FlywayException if the user may not create tables, which Flyway reports only after ten attempts, one per second; if the
     *     database cannot be reached; or if a migration fails
     */
    static boolean apply(DataSource dataSource, @Nullable String schema) {
        try (Connection connection = dataSource.getConnection()) {
            boolean isUpToDate;
            try (OwnTransaction reading = OwnTransaction.begin(connection)) {
                isUpToDate = isUpToDate(connection, schema);
                reading.commit();
            }
            return !isUpToDate && migrate(connection, schema);
        } catch (SQLException e) {
            throw new FlywayException(e.getMessage(), e);
        }
    }

    /**
     * Returns whether the newest migration is applied. This avoids a call of Flyway, which takes 250 ms to find that, mostly to load its
     * classes, and so delays a restart after a crash.
     */
    private static boolean isUpToDate(Connection connection, @Nullable String schema) throws SQLException {
        // the schema that Flyway uses; a history in another schema of the search path does not count
        String home = schema == null ? connection.getSchema() : schema;
        if (home == null) {
            return false;
        }
        String quoted = Identifiers.quote(home);
        if (isTrue(connection, HAS_HISTORY, home, Dialect.HISTORY_TABLE)) {
            String history = quoted + '.' + Dialect.HISTORY_TABLE;
            PostgresDialect.INSTANCE.check(connection, history, "SELECT");
            return isTrue(connection, IS_APPLIED.formatted(history), VERSION);
        }
        String elsewhere = schema != null ? null : Sql.find(connection, ELSEWHERE, row -> row.getString(1), home);
        if (elsewhere != null) {
            throw new SQLException(
                    "fbf's tables are in the schema " + elsewhere + ", and the search path begins with the schema "
                            + home + ", where new tables would forget all operations and counters",
                    SqlFailures.DUPLICATE_TABLE);
        }
        PostgresDialect.INSTANCE.requireWritable(connection);
        if (!isTrue(connection, MAY_CREATE, quoted, home)) {
            throw new SQLException(
                    "no permission to create tables in schema " + home, SqlFailures.INSUFFICIENT_PRIVILEGE);
        }
        return false;
    }

    private static boolean isTrue(Connection connection, String sql, String... parameters) throws SQLException {
        return Boolean.TRUE.equals(Sql.find(connection, sql, row -> row.getBoolean(1), (Object[]) parameters));
    }

    private static boolean migrate(Connection connection, @Nullable String schema) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            try (Statement lock = connection.createStatement()) {
                lock.execute(LOCK);
            }
            if (isUpToDate(connection, schema)) {
                return false;
            }
            flyway(sharing(connection), schema, "postgresql").load().migrate();
            transaction.commit();
            return true;
        }
    }

    /**
     * Returns a data source that gives the same connection each time. The connection is in a transaction, which its owner ends: COMMIT only
     * sets a savepoint, and a rollback returns to the latest one.
     */
    private static DataSource sharing(Connection connection) throws SQLException {
        AtomicReference<Savepoint> committed = new AtomicReference<>(connection.setSavepoint());
        Connection shared = proxy(Connection.class, (self, method, arguments) -> {
            switch (method.getName()) {
                case "close", "setAutoCommit" -> {}
                case "commit" -> committed.set(connection.setSavepoint());
                case "rollback" -> connection.rollback(committed.get());
                default -> {
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }
            }
            return null;
        });
        return proxy(DataSource.class, (self, method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.getName());
            }
            return shared;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Migrations.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** Returns the configuration of Flyway for the migrations in a directory. */
    static FluentConfiguration flyway(DataSource dataSource, @Nullable String schema, String directory) {
        return Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(dataSource)
                .defaultSchema(schema)
                .locations(Dialect.LOCATION + '/' + directory)
                .table(Dialect.HISTORY_TABLE)
                // the schema may contain the application's tables, which these migrations do not change
                .baselineOnMigrate(true)
                .baselineVersion("0");
    }
}
