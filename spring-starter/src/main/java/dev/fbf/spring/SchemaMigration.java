package dev.fbf.spring;

import dev.fbf.db.DatabaseChecks;
import dev.fbf.db.FbfSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes or updates fbf's own tables in each data source once, unless that is left to others. */
final class SchemaMigration {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private final boolean wanted;
    private final Set<DataSource> done = Collections.newSetFromMap(new IdentityHashMap<>());

    SchemaMigration(boolean wanted) {
        this.wanted = wanted;
    }

    /**
     * Makes or updates the tables.
     *
     * @throws SchemaException if the database is no PostgreSQL, or its user may not
     * @throws RuntimeException Flyway's, if they cannot be made for another reason
     */
    synchronized void migrate(DataSource dataSource) {
        if (!wanted || !done.add(dataSource)) {
            return;
        }
        requirePostgres(dataSource);
        try {
            FbfSchema.migrate(dataSource);
        } catch (RuntimeException e) {
            SQLException cause = sqlException(e);
            if (cause != null && INSUFFICIENT_PRIVILEGE.equals(cause.getSQLState())) {
                throw SchemaException.mayNotCreate(cause);
            }
            throw e;
        }
    }

    private static void requirePostgres(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            if (!DatabaseChecks.isPostgres(connection)) {
                throw SchemaException.otherProduct(connection.getMetaData().getDatabaseProductName());
            }
        } catch (SQLException e) {
            // it cannot be reached: the migration tells what is wrong
        }
    }

    private static @Nullable SQLException sqlException(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException found) {
                return found;
            }
        }
        return null;
    }
}
