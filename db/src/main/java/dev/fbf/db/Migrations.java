package dev.fbf.db;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * Migration that creates fbf's tables, with a Flyway instance separate from the application's. A script and its row in the history are
 * committed one after the other. If the process is killed in between, the row is missing and the script runs again, so each script must
 * be repeatable.
 */
final class Migrations {

    /** The version of the newest migration. */
    static final String VERSION = "1";

    private static final String HAS_HISTORY = "SELECT pg_catalog.to_regclass(?) IS NOT NULL";

    /** Query whether the user may create tables in the schema, or the schema itself if it does not exist. */
    private static final String MAY_CREATE = """
            SELECT CASE WHEN pg_catalog.to_regnamespace(?) IS NULL
                THEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
                ELSE pg_catalog.has_schema_privilege(?, 'CREATE') END""";

    private static final String IS_APPLIED = "SELECT true FROM %s WHERE version = ? AND success";

    private Migrations() {}

    /**
     * Creates or updates the tables.
     *
     * @param schema is created if it does not exist; null for the data source's default schema
     */
    static void apply(DataSource dataSource, @Nullable String schema) {
        if (!isUpToDate(dataSource, schema)) {
            callFlyway(dataSource, schema);
        }
    }

    /**
     * Returns whether the newest migration is applied. This avoids a call of Flyway, which takes 250 ms to find that, mostly to load its
     * classes, and so delays a restart after a crash.
     *
     * @throws FlywayException if the user may not create tables, which Flyway reports only after ten attempts, one per second
     */
    private static boolean isUpToDate(DataSource dataSource, @Nullable String schema) {
        try (Connection connection = dataSource.getConnection()) {
            // the schema that Flyway uses; a history in another schema of the search path does not count
            String home = schema == null ? connection.getSchema() : schema;
            if (home == null) {
                return false;
            }
            String quoted = Identifiers.quote(home);
            String history = quoted + '.' + FbfSchema.HISTORY_TABLE;
            if (isTrue(connection, HAS_HISTORY, history)) {
                return isTrue(connection, IS_APPLIED.formatted(history), VERSION);
            }
            if (!isTrue(connection, MAY_CREATE, quoted, home)) {
                String refusal = "no permission to create tables in schema " + home;
                throw new FlywayException(refusal, new SQLException(refusal, SqlFailures.INSUFFICIENT_PRIVILEGE));
            }
            return false;
        } catch (SQLException e) {
            return false; // Flyway reports the failure
        }
    }

    private static boolean isTrue(Connection connection, String sql, String... parameters) throws SQLException {
        return Boolean.TRUE.equals(Sql.find(connection, sql, row -> row.getBoolean(1), (Object[]) parameters));
    }

    private static void callFlyway(DataSource dataSource, @Nullable String schema) {
        Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(dataSource)
                .defaultSchema(schema)
                .locations(FbfSchema.LOCATION)
                .table(FbfSchema.HISTORY_TABLE)
                // the schema may contain the application's tables, which these migrations do not change
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load()
                .migrate();
    }
}
