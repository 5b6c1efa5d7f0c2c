package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL settings that allow a crash of the server or its host to lose committed transactions. */
final class RiskySettings {

    private static final String SETTINGS = """
            SELECT current_setting('synchronous_commit', true), current_setting('fsync', true),
                   current_setting('full_page_writes', true)
            """;

    private RiskySettings() {}

    /** Returns a warning with a remedy for each risky setting. */
    static List<String> of(Connection connection) throws SQLException {
        List<String> warnings = new ArrayList<>();
        try (OwnTransaction transaction = OwnTransaction.begin(connection);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(SETTINGS)) {
            rows.next();
            if ("off".equals(rows.getString(1))) {
                warnings.add("synchronous_commit is off: a crash of the database server loses the last operations that"
                        + " were acknowledged; set it to on, for the server or for fbf's database user.");
            }
            if ("off".equals(rows.getString(2))) {
                warnings.add("fsync is off: a crash of the database's host loses operations that were acknowledged, and"
                        + " can corrupt the database; set it to on in postgresql.conf.");
            }
            if ("off".equals(rows.getString(3))) {
                warnings.add("full_page_writes is off: a crash of the database's host can corrupt pages with operations"
                        + " that were acknowledged; set it to on in postgresql.conf, unless the file system never"
                        + " writes a page in part.");
            }
            transaction.commit();
        }
        return warnings;
    }
}
