package dev.fbf.spring;

import dev.fbf.db.FbfSchema;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A database lacks fbf's tables, or cannot have them. Stops the start. */
final class SchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String BY_OTHERS = "have them made by somebody who may, with the scripts in "
            + FbfSchema.LOCATION
            + ". A Flyway of yours needs a run of its own for that location, with the history table "
            + FbfSchema.HISTORY_TABLE + ": the versions of its scripts are not those of your migrations.";

    private final String action;

    private SchemaException(String what, String action, @Nullable Throwable cause) {
        super(what, cause);
        this.action = action;
    }

    static SchemaException missingTables(String transactionManager, SQLException cause) {
        return new SchemaException(
                "The database of the transaction manager " + transactionManager + " lacks fbf's tables.",
                "Let fbf make them, with fbf.schema.migrate=true; or " + BY_OTHERS,
                cause);
    }

    /** So it is with a PostgreSQL since version 15, unless the user owns the database. */
    static SchemaException mayNotCreate(SQLException cause) {
        return new SchemaException(
                "The database user may not make or update fbf's tables: " + firstLine(cause) + ".",
                "Let it, with GRANT CREATE ON SCHEMA … TO …; or set fbf.schema.migrate=false and " + BY_OTHERS,
                cause);
    }

    static SchemaException otherProduct(String product) {
        return new SchemaException(
                "fbf's tables are made for PostgreSQL; found " + product + ".",
                "Use PostgreSQL (in tests an embedded one, or Testcontainers); or make the tables yourself, as the scripts in "
                        + FbfSchema.LOCATION + " do, and set fbf.schema.migrate=false; or switch the guard off with"
                        + " fbf.enabled=false: then retries count again, which suits a test of something else.",
                null);
    }

    /** Without the position in a statement that nobody sees. */
    private static String firstLine(SQLException cause) {
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    String action() {
        return action;
    }
}
