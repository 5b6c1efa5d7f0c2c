package dev.fbf.spring.transaction;

import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.spring.operation.StartException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Signals that a database lacks fbf's tables, or that they cannot be created or used. */
final class SchemaException extends StartException {

    /** SQL state of a missing privilege. */
    static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** Part of the messages about row-level security, PostgreSQL's and fbf's own. */
    private static final String ROW_SECURITY = "row-level security";

    private static final long serialVersionUID = 1L;

    private static final String BY_OTHERS = "let a user with the necessary privileges create them with the scripts in "
            + Dialect.LOCATION
            + ". Your own Flyway needs a separate run for that location, with the history table "
            + Dialect.HISTORY_TABLE + ": the versions of its scripts are not those of your migrations.";

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
                "Let fbf create them with fbf.schema.migrate=true; "
                        + (schema == null
                                ? "if they are in a schema that is not on the search path, name it with fbf.schema.name; "
                                : "or correct fbf.schema.name, which is case-sensitive; ")
                        + "or " + BY_OTHERS,
                cause);
    }

    /**
     * Creates an exception for tables that Flyway's history lists, but that no longer exist.
     *
     * @param schema their expected schema; null if the search path determines it
     */
    static SchemaException lostTables(String transactionManager, @Nullable String schema, SQLException cause) {
        String history = (schema == null ? "" : quoted(schema) + ".") + Dialect.HISTORY_TABLE;
        return new SchemaException(
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

    /** Creates an exception for a migration that the database has refused. */
    static SchemaException notMigrated(@Nullable String schema, SQLException cause) {
        String state = String.valueOf(cause.getSQLState());
        return switch (state) {
            case INSUFFICIENT_PRIVILEGE ->
                firstLine(cause).contains(ROW_SECURITY) || firstLine(cause).startsWith("SELECT not")
                        ? mayNotUse(schema, cause)
                        : mayNotCreate(schema, cause);
            case SqlFailures.DUPLICATE_TABLE ->
                new SchemaException(
                        firstLine(cause) + ".",
                        "Set fbf.schema.name to the schema that fbf is to use: the one with the tables, unless this"
                                + " application is meant to begin without them.",
                        cause);
            case SqlFailures.READ_ONLY ->
                new SchemaException(
                        "fbf's tables cannot be created or updated, because the database is read-only.",
                        "Connect to the primary server, for example with targetServerType=primary in PostgreSQL's JDBC"
                                + " URL, and as a user whose transactions may write.",
                        cause);
            default ->
                new SchemaException(
                        "The database has refused to create or update fbf's tables: " + firstLine(cause) + ".",
                        "Remove the cause. If a rule of the database forbids it, such as an event trigger, set"
                                + " fbf.schema.migrate=false and " + BY_OTHERS,
                        cause);
        };
    }

    /** Creates an exception for a missing privilege. Since PostgreSQL 15, only a database's owner may create tables by default. */
    static SchemaException mayNotCreate(@Nullable String schema, SQLException cause) {
        String grant = schema == null
                ? "Grant the privilege: GRANT CREATE ON SCHEMA … TO …"
                : "Grant the privileges: GRANT USAGE, CREATE ON SCHEMA " + quoted(schema)
                        + " TO …, or, if the schema does not exist, create it: CREATE SCHEMA "
                        + quoted(schema) + " AUTHORIZATION …";
        return new SchemaException(
                "The database user may not create or update fbf's tables: " + firstLine(cause) + ".",
                grant + "; or set fbf.schema.migrate=false and " + BY_OTHERS,
                cause);
    }

    static SchemaException mayNotUse(@Nullable String schema, SQLException cause) {
        String home = schema == null ? "…" : quoted(schema);
        return new SchemaException(
                "The database user may not use fbf's tables: " + firstLine(cause) + ".",
                "Grant the privileges: GRANT USAGE ON SCHEMA " + home
                        + " TO … and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN" + " SCHEMA " + home
                        + " TO …. Row-level security would hide operations: ALTER TABLE … DISABLE ROW LEVEL SECURITY.",
                cause);
    }

    private static String quoted(String schema) {
        return '"' + schema.replace("\"", "\"\"") + '"';
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
