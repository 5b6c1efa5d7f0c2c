package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * fbf's own tables, kept by Flyway apart from everybody else's.
 *
 * <p>The migrations have a history table of their own, and a location outside {@code db/migration}: Flyway searches a
 * location with everything below it, so that anything in there would be taken for the user's.
 */
public final class FbfSchema {

    /** Where the migrations are. */
    public static final String LOCATION = "classpath:dev/fbf/db/migration";

    /** The table that tells which of them were applied. */
    public static final String HISTORY_TABLE = "fbf_schema_history";

    /** The newest of them. */
    static final String VERSION = "5";

    private static final String IS_APPLIED = "SELECT 1 FROM " + HISTORY_TABLE + " WHERE version = ? AND success";

    private FbfSchema() {}

    /**
     * Makes or updates the tables in the data source's default schema. Safe to call from many processes at once.
     *
     * @param dataSource a data source whose user may create tables
     * @throws org.flywaydb.core.api.FlywayException if a migration fails; what was done before it is kept
     */
    public static void migrate(DataSource dataSource) {
        if (!isUpToDate(dataSource)) {
            callFlyway(dataSource);
        }
    }

    /**
     * Flyway takes a quarter of a second to see that there is nothing to do, most of it for loading its classes. That is
     * too long for an application that is to be back after a crash.
     */
    private static boolean isUpToDate(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return hasHistory(connection) && isApplied(connection);
        } catch (SQLException e) {
            return false; // Flyway tells what is wrong
        }
    }

    /** In the schema that Flyway would look into: that of another one on the search path is not meant. */
    private static boolean hasHistory(Connection connection) throws SQLException {
        try (ResultSet tables = connection
                .getMetaData()
                .getTables(connection.getCatalog(), connection.getSchema(), HISTORY_TABLE, null)) {
            return tables.next();
        }
    }

    private static boolean isApplied(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(IS_APPLIED)) {
            statement.setString(1, VERSION);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static void callFlyway(DataSource dataSource) {
        Flyway.configure(FbfSchema.class.getClassLoader())
                .dataSource(dataSource)
                .locations(LOCATION)
                .table(HISTORY_TABLE)
                // the schema has other tables already: they are not ours to mind
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .load()
                .migrate();
    }
}
