package dev.fbf.db;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.Postgres;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
     * SQL is written as templates with PLACEHOLDER before each table's name. A template becomes a statement when the schema is known, and
     * the statement never changes, as the driver's cache of prepared statements requires. Templates are constants that contain no name from
     * the application. The schema is null -> known, and never changes after that: threads whose connections have different search paths
     * must use the same tables.
     */

    /** Location of the migrations. */
    public static final String LOCATION = "classpath:dev/fbf/db/migration";

    /** Flyway's history table of these migrations. */
    public static final String HISTORY_TABLE = "fbf_schema_history";

    /** Placeholder of the schema in a template. */
    private static final String PLACEHOLDER = "{fbf}";

    /** Maximum length of a name: PostgreSQL truncates longer names (NAMEDATALEN). */
    private static final int MAX_BYTES = 63;

    /** Template of the name of the counters' table. */
    private static final String COUNTER = "{fbf}.fbf_counter";

    private static final String FIND = """
            SELECT home.nspname FROM pg_catalog.pg_class AS found
            JOIN pg_catalog.pg_namespace AS home ON home.oid = found.relnamespace
            WHERE found.oid = pg_catalog.to_regclass('fbf_witness')
            """;

    /** Names of the tables that the migrations create. */
    private static final String TABLES =
            "fbf_counter fbf_horizon fbf_lease fbf_ledger fbf_scope fbf_response fbf_witness";

    private static final String MISSING_TABLES = """
            SELECT string_agg(name, ', ') FROM unnest(string_to_array(?, ' ')) AS name
            WHERE pg_catalog.to_regclass(? || name) IS NULL
            """;

    private static final String MISSING_PRIVILEGES = """
            SELECT string_agg(privilege, ', ') FROM unnest(string_to_array(?, ' ')) AS privilege
            WHERE NOT has_table_privilege(?, privilege)
            """;

    private static final String IS_READ_ONLY = "SELECT current_setting('transaction_read_only')::boolean";

    private static final String READ_ONLY = "25006";

    /** SQL state of a table that does not exist. */
    public static final String UNDEFINED_TABLE = "42P01";

    private final AtomicReference<@Nullable String> name;
    private final Map<String, String> statements = new ConcurrentHashMap<>();

    /** Whether the name was given; if not, it is found on the search path. */
    private final boolean given;

    private FbfSchema(@Nullable String name) {
        this.name = new AtomicReference<>(name);
        given = name != null;
    }

    /**
     * Creates a schema with a known name.
     *
     * @param schema its name as in the catalog: case-sensitive and unquoted
     * @return the schema
     * @throws IllegalArgumentException if the name is not valid for an application's schema
     */
    public static FbfSchema in(String schema) {
        String objection = objectionTo(schema);
        if (objection != null) {
            throw new IllegalArgumentException("schema=" + schema + ": " + objection);
        }
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
     * Creates or updates the tables in the data source's default schema. Safe to call from several processes concurrently.
     *
     * @param dataSource a data source whose user may create tables
     * @throws FlywayException if the user may not create tables, the database cannot be reached, or a migration fails
     */
    public static void migrate(DataSource dataSource) {
        migrate(dataSource, null);
    }

    /**
     * Creates or updates the tables in a schema, which is created if it does not exist. Safe to call from several processes concurrently.
     *
     * @param dataSource a data source whose user may create tables
     * @param schema the schema's name as in the catalog; null for the data source's default schema
     * @throws FlywayException if the user may not create tables, the database cannot be reached, or a migration fails
     */
    public static void migrate(DataSource dataSource, @Nullable String schema) {
        Migrations.apply(dataSource, schema, true);
    }

    /**
     * Creates the tables again if the database was emptied while they were in use. A schema that was found on the search path belongs to
     * the application, and is not created. Safe to call from several threads and processes concurrently.
     *
     * @param dataSource a data source whose user may create tables
     * @return whether this call has created tables; false if none was missing
     * @throws FlywayException as {@link #migrate(DataSource)}; if tables are missing that the history lists (its cause has the SQL state
     *     42P01); or if the application's schema does not exist (3F000)
     */
    public boolean migrateAgain(DataSource dataSource) {
        String known = name.get();
        boolean created = Migrations.apply(dataSource, known, given || known == null);
        try (Connection connection = dataSource.getConnection()) {
            String missing = Sql.find(
                    connection, MISSING_TABLES, row -> row.getString(1), TABLES, sql(connection, PLACEHOLDER + '.'));
            if (missing != null) {
                throw new SQLException("there is no table " + missing + " in schema " + name(), UNDEFINED_TABLE);
            }
            return created;
        } catch (SQLException e) {
            throw new FlywayException(e.getMessage(), e);
        }
    }

    /**
     * Checks for settings with which a crash of the server or its host can lose committed transactions, and so acknowledged operations.
     * Only databases that call themselves PostgreSQL are checked.
     *
     * @param connection a connection configured as those of guarded transactions, without an open transaction; afterwards it has none, and
     *     its autocommit is restored
     * @return a warning per setting, with its remedy; empty if there are none
     * @throws SQLException if the database cannot be reached
     */
    public static List<String> warnings(Connection connection) throws SQLException {
        return Postgres.is(connection) ? RiskySettings.of(connection) : List.of();
    }

    /**
     * Finds the tables' schema, unless it is known already.
     *
     * @throws SQLException if the tables are not on the connection's search path (SQL state 42P01), or the database cannot be reached
     */
    public String find(Connection connection) throws SQLException {
        String known = name.get();
        if (known == null) {
            name.compareAndSet(null, onSearchPathOf(connection));
            known = name();
        }
        return known;
    }

    private static String onSearchPathOf(Connection connection) throws SQLException {
        String found = Sql.find(connection, FIND, row -> row.getString(1));
        if (found == null) {
            throw new SQLException("there is no table fbf_witness on the search path", UNDEFINED_TABLE);
        }
        return found;
    }

    /**
     * Checks that a table exists and that the user has the privileges that fbf needs.
     *
     * @param table its name in a template
     * @param privileges the privileges, separated by spaces
     * @throws SQLException if the table does not exist (SQL state 42P01, or 3F000 if the schema does not exist), if a privilege is missing
     *     (42501), or if the database cannot be reached
     */
    public void check(Connection connection, String table, String privileges) throws SQLException {
        String name = sql(connection, table);
        String missing = Sql.find(connection, MISSING_PRIVILEGES, row -> row.getString(1), privileges, name);
        if (missing != null) {
            throw new SQLException(missing + " not granted on " + name, SqlFailures.INSUFFICIENT_PRIVILEGE);
        }
    }

    /**
     * Checks that a connection without an open transaction can write.
     *
     * @throws SQLException if its transactions are read-only (SQL state 25006), or the database cannot be reached
     */
    static void requireWritable(Connection connection) throws SQLException {
        if (Sql.get(connection, IS_READ_ONLY, row -> row.getBoolean(1))) {
            throw new SQLException("the database is read-only", READ_ONLY);
        }
    }

    /**
     * Returns the schema, unquoted.
     *
     * @throws IllegalStateException if no connection has {@linkplain #find found} it
     */
    public String name() {
        String known = name.get();
        if (known == null) {
            throw new IllegalStateException("schema=null: find() must be called first");
        }
        return known;
    }

    /** Returns the SQL of a template, after {@linkplain #find finding} the schema if it is not known. */
    public String sql(Connection connection, String template) throws SQLException {
        String known = statements.get(template);
        if (known != null) {
            return known;
        }
        find(connection);
        return sql(template);
    }

    /**
     * Returns the SQL of a template for the known schema.
     *
     * @throws IllegalStateException if no connection has {@linkplain #find found} the schema
     */
    public String sql(String template) {
        String known = statements.get(template);
        if (known == null) {
            known = template.replace(PLACEHOLDER, Identifiers.quote(name()));
            statements.put(template, known);
        }
        return known;
    }

    /** Returns the name of the counters' table in SQL. */
    String counter() {
        return sql(COUNTER);
    }
}
