package dev.fbf.spring.jdbc;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.operation.StartException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Signals that a database lacks fbf's tables, or that the user may not create them. */
final class SchemaException extends StartException {

    /** SQL state of a missing privilege. */
    public static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final long serialVersionUID = 1L;

    private static final String BY_OTHERS = "have them made by a user who may, with the scripts in "
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
    public static SchemaException missingTables(
            String transactionManager, @Nullable String schema, SQLException cause) {
        return new SchemaException(
                "The database of the transaction manager " + transactionManager + " lacks fbf's tables"
                        + (schema == null ? "" : " in the schema " + schema) + ".",
                "Let fbf make them, with fbf.schema.migrate=true; "
                        + (schema == null
                                ? "if they are in a schema that is not on the search path, name it with fbf.schema.name; "
                                : "or correct fbf.schema.name, upper and lower case matter; ")
                        + "or " + BY_OTHERS,
                cause);
    }

    /**
     * Creates an exception for tables that Flyway's history lists, but that no longer exist.
     *
     * @param schema their expected schema; null if the search path determines it
     */
    public static SchemaException lostTables(String transactionManager, @Nullable String schema, SQLException cause) {
        String history = (schema == null ? "" : quoted(schema) + ".") + FbfSchema.HISTORY_TABLE;
        return new SchemaException(
                "The database of the transaction manager " + transactionManager + " lacks fbf tables, though "
                        + FbfSchema.HISTORY_TABLE + " says that they were made: " + firstLine(cause)
                        + ". They were dropped or renamed, and fbf does not make them again.",
                "Restore them, with their rows. If they are gone for good, drop their history too, with DROP TABLE "
                        + history
                        + ": at the next start fbf makes those that are missing, and leaves the others as they are. The missing"
                        + " tables' records are lost then: begin when"
                        + " a retry window (fbf.retry-window) has passed since the last operation, or retries of operations that were"
                        + " applied before count again.",
                cause);
    }

    /** Creates an exception for a missing privilege. Since PostgreSQL 15, only a database's owner may create tables by default. */
    static SchemaException mayNotCreate(@Nullable String schema, SQLException cause) {
        String grant = schema == null
                ? "Let it, with GRANT CREATE ON SCHEMA … TO …"
                : "Let it, with GRANT USAGE, CREATE ON SCHEMA " + quoted(schema)
                        + " TO …, or, if there is no such schema, have" + " it made, with CREATE SCHEMA "
                        + quoted(schema) + " AUTHORIZATION …";
        return new SchemaException(
                "The database user may not make or update fbf's tables: " + firstLine(cause) + ".",
                grant + "; or set fbf.schema.migrate=false and " + BY_OTHERS,
                cause);
    }

    public static SchemaException mayNotUse(@Nullable String schema, SQLException cause) {
        String home = schema == null ? "…" : quoted(schema);
        return new SchemaException(
                "The database user may not use fbf's tables: " + firstLine(cause) + ".",
                "Let it, with GRANT USAGE ON SCHEMA " + home
                        + " TO … and GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN" + " SCHEMA " + home
                        + " TO ….",
                cause);
    }

    private static String quoted(String schema) {
        return '"' + schema.replace("\"", "\"\"") + '"';
    }

    static SchemaException oneConnection(SQLException cause) {
        return new SchemaException(
                "fbf's tables cannot be made: Flyway needs two connections at the same time, and the data source gives"
                        + " only one: " + firstLine(cause) + ".",
                "Let the pool have two connections, as with spring.datasource.hikari.maximum-pool-size=2; once the tables are"
                        + " there, one is enough. Or set fbf.schema.migrate=false and " + BY_OTHERS,
                cause);
    }

    static SchemaException otherProduct(String product) {
        return new SchemaException(
                "fbf's tables are made for PostgreSQL; found " + product + ".",
                "Use PostgreSQL; in tests, fbf-spring-boot-test keeps operations in memory. Or make the tables yourself, as the scripts in "
                        + FbfSchema.LOCATION + " do, and set fbf.schema.migrate=false; or switch the guard off with"
                        + " fbf.enabled=false: then retries count again, which suits a test of something else.",
                null);
    }

    /** Returns the message without the position in the statement, which is not logged. */
    private static String firstLine(SQLException cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
