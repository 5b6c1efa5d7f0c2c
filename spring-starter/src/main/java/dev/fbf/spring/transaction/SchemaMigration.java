package dev.fbf.spring.transaction;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Migration that creates or updates fbf's tables once per data source, unless {@code fbf.schema.migrate} is false. */
final class SchemaMigration {

    private static final Logger log = LoggerFactory.getLogger(SchemaMigration.class);

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
     * @param mode the mode of the scopes that use them
     * @throws SchemaException if fbf does not support the database in this mode, or its user lacks privileges
     * @throws RuntimeException Flyway's exception, if the database is unreachable, or the tables cannot be created for another reason
     */
    void migrate(DataSource dataSource, Mode mode) {
        requireSupported(dataSource, mode);
        if (!schema.migrate() || done.contains(dataSource)) {
            return;
        }
        try {
            FbfSchema.migrate(dataSource, schema.name());
            done.add(dataSource);
        } catch (RuntimeException e) {
            SQLException cause = SqlFailures.in(e);
            throw cause == null || isUnreachable(e) ? e : SchemaException.refused(cause);
        }
    }

    /**
     * Creates the tables again in a database that was emptied while the application runs, for example by Flyway's {@code clean}. To be
     * called after an fbf statement of an operation failed because its table or schema does not exist (SQL state 42P01 or 3F000). Does
     * nothing if the history lists them, or if {@code fbf.schema.migrate} is false. Thread-safe; needs one connection.
     *
     * @param tables the schema that the statement used
     * @throws RuntimeException Flyway's or the pool's exception, if the tables cannot be created
     */
    void migrateAgain(String transactionManager, DataSource dataSource, FbfSchema tables) {
        if (!schema.migrate()) {
            return;
        }
        if (tables.migrateAgain(dataSource)) {
            log.atWarn()
                    .addKeyValue("database", transactionManager)
                    .log(
                            "The database of {} lacked fbf's tables: fbf has created them again. The records of earlier"
                                    + " operations are lost, and their retries are applied again.",
                            transactionManager);
        }
    }

    /** Returns whether a failure came from an unreachable database: the SQL state shows it, or is missing, as for a pool's timeout. */
    static boolean isUnreachable(RuntimeException failure) {
        SQLException cause = failure instanceof SchemaException ? null : SqlFailures.in(failure);
        String state = cause == null || cause.getSQLState() == null ? "" : cause.getSQLState();
        return cause != null && (state.isEmpty() || state.startsWith("08") || state.startsWith("57P"));
    }

    /** Returns the schema that contains fbf's tables. */
    FbfSchema schema() {
        return schema.name() == null ? FbfSchema.onSearchPath() : FbfSchema.in(schema.name());
    }

    private static void requireSupported(DataSource dataSource, Mode mode) {
        try (Connection connection = dataSource.getConnection();
                OwnTransaction reading = OwnTransaction.begin(connection)) {
            boolean supported = Dialect.of(connection) == Dialect.POSTGRESQL || mode == Mode.LEDGER;
            reading.commit();
            if (!supported) {
                throw SchemaException.withoutFilterMode(connection.getMetaData().getDatabaseProductName());
            }
        } catch (SQLFeatureNotSupportedException e) {
            throw SchemaException.otherProduct(e);
        } catch (SQLException e) {
            // unreachable: the migration reports the failure
        }
    }
}
