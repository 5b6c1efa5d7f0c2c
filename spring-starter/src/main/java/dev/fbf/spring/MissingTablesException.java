package dev.fbf.spring;

import dev.fbf.db.FbfSchema;
import java.sql.SQLException;

/** A database lacks fbf's tables. Stops the start. */
final class MissingTablesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MissingTablesException(String transactionManager, SQLException cause) {
        super("The database of the transaction manager " + transactionManager + " lacks fbf's tables.", cause);
    }

    String action() {
        return "Let fbf make them, with fbf.schema.migrate=true; or have them made by somebody who may, with the scripts in "
                + FbfSchema.LOCATION
                + ". A Flyway of yours needs a run of its own for that location, with the history table "
                + FbfSchema.HISTORY_TABLE + ": the versions of its scripts are not those of your migrations.";
    }
}
