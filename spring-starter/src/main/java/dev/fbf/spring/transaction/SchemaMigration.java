package dev.fbf.spring.transaction;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.StartException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Migration that creates or updates fbf's tables, unless {@code fbf.schema.migrate} is false. */
final class SchemaMigration {

    private static final Logger log = LoggerFactory.getLogger(SchemaMigration.class);

    /** SQL state of a missing privilege. */
    static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final String BY_OTHERS = "let a user with the necessary privileges create them with the scripts in "
            + Dialect.LOCATION
            + ". Your own Flyway needs a separate run for that location, with the history table "
            + Dialect.HISTORY_TABLE + ": the versions of its scripts are not those of your migrations.";

    private final FbfProperties.Schema schema;

    /** @throws InvalidConfigurationPropertyValueException if {@code fbf.schema.name} is not a valid name */
    SchemaMigration(FbfProperties.Schema schema) {
        String objection = schema.name() == null ? null : FbfSchema.objectionTo(schema.name());
        if (objection != null) {
            throw new InvalidConfigurationPropertyValueException(
                    "fbf.schema.name", schema.name(), objection + "; omit it to use the schema on the search path");
        }
        this.schema = schema;
    }

    /**
     * Creates or updates the tables.
     *
     * @param mode the mode of the scopes that use them
     * @throws StartException if fbf does not support the database in this mode, or its user lacks privileges
     * @throws RuntimeException Flyway's exception, if the database is unreachable, or the tables cannot be created for another reason
     */
    void migrate(DataSource dataSource, Mode mode) {
        requireSupported(dataSource, mode);
        if (!schema.migrate()) {
            return;
        }
        try {
            FbfSchema.migrate(dataSource, schema.name());
        } catch (RuntimeException e) {
            SQLException cause = SqlFailures.in(e);
            throw cause == null || isUnreachable(e) ? e : refused(cause);
        }
    }

    /**
     * Creates the tables again in a database that was emptied while the application runs, for example by Flyway's {@code clean}. To be
     * called after an fbf statement of an operation failed because its table or schema does not exist (SQL state 42P01 or 3F000). Does
     * nothing if the history lists them, or if {@code fbf.schema.migrate} is false. Thread-safe; needs one connection.
     *
     * @param tables the schema that the statement used
     * @throws RuntimeException Flyway's or the pool's exception, if the tables cannot be created
     */
    void migrateAgain(String transactionManager, DataSource dataSource, FbfSchema tables) {
        if (!schema.migrate()) {
            return;
        }
        if (tables.migrateAgain(dataSource)) {
            log.atWarn()
                    .addKeyValue("database", transactionManager)
                    .log(
                            "The database of {} lacked fbf's tables: fbf has created them again. The records of earlier"
                                    + " operations are lost, and their retries are applied again.",
                            transactionManager);
        }
    }

    /** Returns whether a failure came from an unreachable database: the SQL state shows it, or is missing, as for a pool's timeout. */
    static boolean isUnreachable(RuntimeException failure) {
        SQLException cause = failure instanceof StartException ? null : SqlFailures.in(failure);
        String state = cause == null || cause.getSQLState() == null ? "" : cause.getSQLState();
        return cause != null && (state.isEmpty() || state.startsWith("08") || state.startsWith("57P"));
    }

    /** Returns the schema that contains fbf's tables. */
    FbfSchema schema() {
        return schema.name() == null ? FbfSchema.onSearchPath() : FbfSchema.in(schema.name());
    }

    private static void requireSupported(DataSource dataSource, Mode mode) {
        try (Connection connection = dataSource.getConnection();
                OwnTransaction reading = OwnTransaction.begin(connection)) {
            boolean supported = Dialect.of(connection) == Dialect.POSTGRESQL || mode == Mode.LEDGER;
            reading.commit();
            if (!supported) {
                throw new StartException(
                        "Filter mode requires PostgreSQL; found "
                                + connection.getMetaData().getDatabaseProductName() + ".",
                        "Use ledger mode, the default: omit fbf.mode=filter and fbf.scopes.*.mode=filter for the scopes of"
                                + " this database; or use PostgreSQL.",
                        null);
            }
        } catch (SQLFeatureNotSupportedException e) {
            throw new StartException(
                    firstLine(e) + ".",
                    "Use PostgreSQL, MariaDB, MySQL, H2 or HSQLDB; H2 in memory will do for tests. Or disable the guard"
                            + " with fbf.enabled=false: then retries are applied again, and SqlCounters cannot be used.",
                    e);
        } catch (SQLException e) {
            // unreachable: the migration reports the failure
        }
    }

    /** Creates an exception for tables that do not exist, or no longer exist although Flyway's history lists them. */
    StartException withoutTables(String transactionManager, SQLException cause) {
        String name = schema.name();
        if (!schema.migrate()) {
            return new StartException(
                    "The database of the transaction manager " + transactionManager + " lacks fbf's tables"
                            + (name == null ? "" : " in the schema " + name) + ".",
                    "Let fbf create them with fbf.schema.migrate=true; if they are in another schema, name it with"
                            + " fbf.schema.name, which is case-sensitive; or " + BY_OTHERS,
                    cause);
        }
        String history = (name == null ? "" : '"' + name + "\".") + Dialect.HISTORY_TABLE;
        return new StartException(
                "The database of the transaction manager " + transactionManager + " lacks fbf tables, though "
                        + Dialect.HISTORY_TABLE + " lists them: " + firstLine(cause)
                        + ". They were dropped or renamed, or a snapshot of fbf with fewer tables made the history. fbf does"
                        + " not create them again.",
                "Restore them with their rows. If they are lost, stop all nodes, and drop their history with DROP TABLE "
                        + history
                        + ": at the next start fbf creates the missing tables, and leaves the others unchanged. The"
                        + " missing tables' records are then lost: start after a retry window (fbf.retry-window) has"
                        + " passed since the last operation, because retries of earlier operations would be applied"
                        + " again.",
                cause);
    }

    /** Creates an exception for a migration, or a check of the tables, that the database has refused. */
    static StartException refused(SQLException cause) {
        return new StartException(
                "The database has refused to create, update or use fbf's tables: " + firstLine(cause) + ".",
                "Remove the cause. The user needs GRANT USAGE, CREATE ON SCHEMA … TO … and GRANT SELECT, INSERT, UPDATE,"
                        + " DELETE ON ALL TABLES IN SCHEMA … TO …. Row-level security would hide operations: ALTER TABLE … DISABLE"
                        + " ROW LEVEL SECURITY. A read-only server needs its primary in the URL, with"
                        + " targetServerType=primary. If fbf's tables are in another schema, set fbf.schema.name to it. To"
                        + " create them without fbf, set fbf.schema.migrate=false and " + BY_OTHERS,
                cause);
    }

    /** Returns the message without the position in the statement, which is not logged. */
    private static String firstLine(SQLException cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
