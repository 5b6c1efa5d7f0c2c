package dev.fbf.db;

import static java.util.Objects.requireNonNull;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.dialect.Dialect;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.ModeTable;
import dev.fbf.db.dialect.Tables;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * The database schema that contains fbf's tables. fbf's SQL qualifies their names with it, because an application may set another search
 * path on a connection, for example one per tenant.
 *
 * <p>The migrations have their own history table, and a location outside {@code db/migration}: Flyway searches a location recursively, and
 * would take them for the user's migrations there.
 *
 * <p>Thread-safe.
 */
public final class FbfSchema {

    /*
     * The schema is null -> known, and never changes after that: threads whose connections have different search paths must use the same
     * tables. The same holds for the dialect.
     */

    /** Maximum length of a name: PostgreSQL truncates longer names (NAMEDATALEN). */
    private static final int MAX_BYTES = 63;

    private final AtomicReference<@Nullable String> name;
    private volatile @Nullable Dialect dialect;
    private volatile @Nullable Tables tables;

    private FbfSchema(@Nullable String name) {
        this.name = new AtomicReference<>(name);
    }

    /**
     * Creates a schema with a known name.
     *
     * @param schema its name as in the catalog, case-sensitive and unquoted, to which there is {@linkplain #objectionTo no objection}
     * @return the schema
     */
    public static FbfSchema in(String schema) {
        return new FbfSchema(schema);
    }

    /**
     * Creates a schema that is found later, on the search path of the first connection that is used. It then applies to all connections.
     *
     * @return the schema, not known yet
     */
    public static FbfSchema onSearchPath() {
        return new FbfSchema(null);
    }

    /**
     * Checks a name for an application's schema.
     *
     * @param schema the name
     * @return the rule that the name violates; null if it is valid
     */
    public static @Nullable String objectionTo(String schema) {
        if (schema.isBlank()) {
            return "must not be blank";
        }
        if (schema.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(schema)) {
            return "must not contain NUL or an unpaired surrogate";
        }
        if (schema.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            return "must have " + MAX_BYTES + " bytes or fewer in UTF-8, as PostgreSQL truncates longer names";
        }
        if (schema.contains("${")) {
            return "must not contain ${: the placeholder is not closed, or names an unknown property";
        }
        return schema.startsWith("pg_") ? "must not begin with pg_: PostgreSQL reserves such names" : null;
    }

    /**
     * Creates or updates the tables in a schema, which is created if it does not exist. Safe to call from several processes concurrently.
     *
     * @param dataSource a data source whose user may create tables
     * @param schema the schema's name as in the catalog; null for the data source's default schema
     * @throws FlywayException if the user may not create tables, the database cannot be reached, or a migration fails
     */
    public static boolean migrate(DataSource dataSource, @Nullable String schema) {
        Dialect dialect;
        try (Connection connection = dataSource.getConnection();
                OwnTransaction reading = OwnTransaction.begin(connection)) {
            dialect = Dialect.of(connection);
            reading.commit(); // keeps what a pool has set on the connection
        } catch (SQLException e) {
            throw new FlywayException(e.getMessage(), e);
        }
        return dialect.migrate(dataSource, schema);
    }

    /**
     * Creates the tables again if the database was emptied while they were in use. Otherwise as {@link #migrate}.
     *
     * @return whether this call has created tables; false if none was missing
     */
    public boolean migrateAgain(DataSource dataSource) {
        return migrate(dataSource, name.get());
    }

    /**
     * Returns the dialect of the tables' database.
     *
     * @throws SQLException if fbf does not support the database, or it cannot be reached
     */
    public Dialect dialect(Connection connection) throws SQLException {
        Dialect known = dialect;
        if (known == null) {
            known = Dialect.of(connection);
            dialect = known;
        }
        return known;
    }

    /** Returns the modes of scopes; null if the database has no filter mode. */
    public @Nullable ModeTable modes(Connection connection) throws SQLException {
        return dialect(connection).modes(find(connection));
    }

    /** Returns the ledger in the tables' schema, which a connection must have {@linkplain #find found}. */
    public Ledger ledger() {
        return requireNonNull(dialect).ledger(name());
    }

    /**
     * Finds the tables' schema, unless it is known already.
     *
     * @throws SQLException if the tables are not on the connection's search path (SQL state 42P01), or the database cannot be reached
     */
    public String find(Connection connection) throws SQLException {
        Dialect its = dialect(connection);
        if (name.get() == null) {
            name.compareAndSet(null, its.schemaOf(connection));
        }
        return name();
    }

    /** See {@link Dialect#check}. */
    public void check(Connection connection, String table, String privileges) throws SQLException {
        Dialect its = dialect(connection);
        its.check(connection, new Tables(its.quote(find(connection))).sql(table), privileges);
    }

    private String name() {
        return requireNonNull(name.get());
    }

    /** Returns the SQL of a template, after {@linkplain #find finding} the schema if it is not known. */
    public String sql(Connection connection, String template) throws SQLException {
        if (name.get() == null) {
            find(connection);
        }
        return sql(template);
    }

    /** Returns the SQL of a template for the schema, which a connection must have {@linkplain #find found}. */
    public String sql(String template) {
        Tables known = tables;
        if (known == null) {
            known = new Tables(Identifiers.quote(name()));
            tables = known;
        }
        return known.sql(template);
    }
}
