package dev.fbf.spring.jdbc;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.Postgres;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.StartException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Migration that creates or updates fbf's tables once per data source, unless {@code fbf.schema.migrate} is false. */
final class SchemaMigration {

    private final FbfProperties.Schema schema;
    private final Set<DataSource> done = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @throws InvalidConfigurationPropertyValueException if {@code fbf.schema.name} is not a valid name */
    SchemaMigration(FbfProperties.Schema schema) {
        String objection = schema.name() == null ? null : FbfSchema.objectionTo(schema.name());
        if (objection != null) {
            throw new InvalidConfigurationPropertyValueException(
                    "fbf.schema.name", schema.name(), objection + "; omit it to use the schema on the search path");
        }
        this.schema = schema;
    }

    /**
     * Creates or updates the tables, unless an earlier call succeeded. Not thread-safe.
     *
     * @throws SchemaException if the database is not PostgreSQL, its user lacks privileges, or the pool has only one connection
     * @throws StartException if the database is unreachable
     * @throws RuntimeException Flyway's exception, if the tables cannot be created for another reason
     */
    void migrate(DataSource dataSource) {
        if (!schema.migrate() || done.contains(dataSource)) {
            return;
        }
        try {
            requirePostgres(dataSource);
            FbfSchema.migrate(dataSource, schema.name());
            done.add(dataSource);
        } catch (RuntimeException e) {
            SQLException cause = sqlException(e);
            if (cause != null && SchemaException.INSUFFICIENT_PRIVILEGE.equals(cause.getSQLState())) {
                throw SchemaException.mayNotCreate(schema.name(), cause);
            }
            // a pool's timeout has no SQL state
            if (cause != null && cause.getSQLState() == null && givesConnection(dataSource)) {
                throw SchemaException.oneConnection(cause);
            }
            if (cause != null && isUnreachable(e)) {
                throw new StartException(
                        "fbf's tables cannot be created or updated, because the database cannot be reached: "
                                + cause.getMessage(),
                        "Start again when the database can be reached. If the tables exist, fbf.schema.migrate=false"
                                + " starts the application without it.",
                        e);
            }
            throw e;
        }
    }

    /** Returns whether a failure came from an unreachable database: the SQL state shows it, or is missing, as for a pool's timeout. */
    static boolean isUnreachable(RuntimeException failure) {
        SQLException cause = failure instanceof SchemaException ? null : sqlException(failure);
        String state = cause == null || cause.getSQLState() == null ? "" : cause.getSQLState();
        return cause != null && (state.isEmpty() || state.startsWith("08") || state.startsWith("57P"));
    }

    /** Returns the schema that contains fbf's tables. */
    FbfSchema schema() {
        return schema.name() == null ? FbfSchema.onSearchPath() : FbfSchema.in(schema.name());
    }

    /** Returns the name of that schema; null if the search path finds the tables. */
    @Nullable String schemaName() {
        return schema.name();
    }

    private static void requirePostgres(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            if (!Postgres.is(connection)) {
                throw SchemaException.otherProduct(connection.getMetaData().getDatabaseProductName());
            }
        } catch (SQLException e) {
            // unreachable: the migration reports the failure
        }
    }

    private static boolean givesConnection(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            return !connection.isClosed();
        } catch (SQLException e) {
            return false;
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
