package dev.fbf.db;

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

    private FbfSchema() {}

    /**
     * Makes or updates the tables in the data source's default schema. Safe to call from many processes at once.
     *
     * @param dataSource a data source whose user may create tables
     * @throws org.flywaydb.core.api.FlywayException if a migration fails; what was done before it is kept
     */
    public static void migrate(DataSource dataSource) {
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
