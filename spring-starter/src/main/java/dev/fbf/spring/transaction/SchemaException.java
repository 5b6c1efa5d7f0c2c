package dev.fbf.spring.transaction;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.operation.StartException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Signals that a database lacks fbf's tables, or that they cannot be created or used. */
final class SchemaException extends StartException {

    /** SQL state of a missing privilege. */
    static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final long serialVersionUID = 1L;

    private static final String BY_OTHERS = "let a user with the necessary privileges create them with the scripts in "
            + FbfSchema.LOCATION
            + ". Your own Flyway needs a separate run for that location, with the history table "
            + FbfSchema.HISTORY_TABLE + ": the versions of its scripts are not those of your migrations.";

    private SchemaException(String what, String action, @Nullable Throwable cause) {
        super(what, action, cause);
    }

    /**
     * Creates an exception for tables that do not exist.
     *
     * @param schema their expected schema; null if the search path determines it
     */
    static SchemaException missingTables(String transactionManager, @Nullable String schema, SQLException cause) {
        return new SchemaException(
                "The database of the transaction manager " + transactionManager + " lacks fbf's tables"
                        + (schema == null ? "" : " in the schema " + schema) + ".",
                "Let fbf create them with fbf.schema.migrate=true; if they are in another schema, name it with"
                        + " fbf.schema.name, which is case-sensitive; or " + BY_OTHERS,
                cause);
    }

    /**
     * Creates an exception for tables that Flyway's history lists, but that no longer exist.
     *
     * @param schema their expected schema; null if the search path determines it
     */
    static SchemaException lostTables(String transactionManager, @Nullable String schema, SQLException cause) {
        String history = (schema == null ? "" : '"' + schema + "\".") + FbfSchema.HISTORY_TABLE;
        return new SchemaException(
                "The database of the transaction manager " + transactionManager + " lacks fbf tables, though "
                        + FbfSchema.HISTORY_TABLE + " lists them: " + firstLine(cause)
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
    static SchemaException refused(SQLException cause) {
        return new SchemaException(
                "The database has refused to create, update or use fbf's tables: " + firstLine(cause) + ".",
                "Remove the cause. The user needs GRANT USAGE, CREATE ON SCHEMA … TO … and GRANT SELECT, INSERT, UPDATE,"
                        + " DELETE ON ALL TABLES IN SCHEMA … TO …. Row-level security would hide operations: ALTER TABLE … DISABLE"
                        + " ROW LEVEL SECURITY. A read-only server needs its primary in the URL, with"
                        + " targetServerType=primary. If fbf's tables are in another schema, set fbf.schema.name to it. To"
                        + " create them without fbf, set fbf.schema.migrate=false and " + BY_OTHERS,
                cause);
    }

    static SchemaException otherProduct(SQLException cause) {
        return new SchemaException(
                firstLine(cause) + ".",
                "Use PostgreSQL, MariaDB, MySQL, H2 or HSQLDB; H2 in memory will do for tests. Or disable the guard with"
                        + " fbf.enabled=false: then retries are applied again, and SqlCounters cannot be used.",
                cause);
    }

    static SchemaException withoutFilterMode(String product) {
        return new SchemaException(
                "Filter mode requires PostgreSQL; found " + product + ".",
                "Use ledger mode, the default: omit fbf.mode=filter and fbf.scopes.*.mode=filter for the scopes of this"
                        + " database; or use PostgreSQL.",
                null);
    }

    /** Returns the message without the position in the statement, which is not logged. */
    private static String firstLine(SQLException cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
