package dev.fbf.db;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * What fbf asks of a database before it relies on it. Asks PostgreSQL only, and whatever calls itself so.
 */
public final class DatabaseChecks {

    private static final String SETTINGS = """
            SELECT current_setting('synchronous_commit', true), current_setting('fsync', true),
                   current_setting('full_page_writes', true)
            """;

    private DatabaseChecks() {}

    /**
     * Looks for settings with which a crash of the server's host can lose what was committed, and with it operations
     * that were acknowledged.
     *
     * @param connection a connection like those that guarded transactions will have, with no transaction open; has none
     *     open afterwards, and its autocommit as it was
     * @return a sentence for each, with what to do; empty if all is well
     * @throws SQLException if the database cannot be reached
     */
    public static List<String> warnings(Connection connection) throws SQLException {
        List<String> warnings = new ArrayList<>();
        if (!isPostgres(connection)) {
            return warnings;
        }
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
                        + " can ruin the database; set it to on in postgresql.conf.");
            }
            if ("off".equals(rows.getString(3))) {
                warnings.add("full_page_writes is off: a crash of the database's host can ruin pages with operations"
                        + " that were acknowledged; set it to on in postgresql.conf, unless the file system never"
                        + " writes a page in part.");
            }
            transaction.commit();
        }
        return warnings;
    }

    /**
     * Tells whether a database is the one that fbf's tables are made for.
     *
     * @param connection a connection to it
     * @return whether it calls itself PostgreSQL
     * @throws SQLException if it cannot be reached
     */
    public static boolean isPostgres(Connection connection) throws SQLException {
        return "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName());
    }
}
