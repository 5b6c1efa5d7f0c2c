package dev.fbf.db;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where fbf's own tables are in a database. fbf's SQL names them with their schema, so that it reaches them whatever the
 * search path of a connection: an application may set that for each tenant.
 *
 * <p>Thread-safe.
 */
public final class FbfTables {

    /*
     * SQL is written once: a template with PLACEHOLDER before each table's name becomes a statement when the schema is known,
     * and stays the same then, as the driver's cache of prepared statements needs it. Templates are constants of fbf's,
     * without a name of the application's in them.
     *
     * The schema is null -> known, and never changes after that: two of fbf's threads with different search paths must not
     * use different tables.
     */

    /** Stands for the schema in a template. */
    private static final String PLACEHOLDER = "{fbf}";

    /** PostgreSQL cuts longer names off (NAMEDATALEN). */
    private static final int MAX_BYTES = 63;

    /** A template of the counters' table. */
    private static final String COUNTER = "{fbf}.fbf_counter";

    private static final String FIND = """
            SELECT home.nspname FROM pg_catalog.pg_class AS found
            JOIN pg_catalog.pg_namespace AS home ON home.oid = found.relnamespace
            WHERE found.oid = pg_catalog.to_regclass('fbf_witness')
            """;

    private static final String MISSING_PRIVILEGES = """
            SELECT string_agg(privilege, ', ') FROM unnest(string_to_array(?, ' ')) AS privilege
            WHERE NOT has_table_privilege(?, privilege)
            """;

    private static final String UNDEFINED_TABLE = "42P01";

    private final AtomicReference<@Nullable String> schema = new AtomicReference<>();
    private final Map<String, String> statements = new ConcurrentHashMap<>();

    private FbfTables() {}

    /**
     * Those of a schema.
     *
     * @param schema its name as the catalog has it: upper and lower case matter, and nothing is to be quoted
     * @return the tables
     * @throws IllegalArgumentException if no schema of an application's can have such a name
     */
    public static FbfTables in(String schema) {
        String objection = objectionTo(schema);
        if (objection != null) {
            throw new IllegalArgumentException("schema=" + schema + ": " + objection);
        }
        FbfTables tables = new FbfTables();
        tables.schema.set(schema);
        return tables;
    }

    /**
     * Those that the first connection finds on its search path. It decides for all connections after it.
     *
     * @return the tables
     */
    public static FbfTables onSearchPath() {
        return new FbfTables();
    }

    /**
     * Tells whether a schema of an application's can have a name.
     *
     * @param schema the name
     * @return what it must be like instead; null if it can
     */
    public static @Nullable String objectionTo(String schema) {
        if (schema.isBlank()) {
            return "must not be blank";
        }
        if (schema.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(schema)) {
            return "must have no NUL character, nor half of a surrogate pair";
        }
        if (schema.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            return "must have " + MAX_BYTES + " bytes in UTF-8 at most, as names in PostgreSQL do";
        }
        return schema.startsWith("pg_") ? "must not begin with pg_: such schemas are PostgreSQL's own" : null;
    }

    /**
     * Looks for the tables, unless it is known where they are.
     *
     * @param connection a connection to their database
     * @return their schema, unquoted
     * @throws SQLException if they are not on its search path (SQL state 42P01), or the database cannot be reached
     */
    public String find(Connection connection) throws SQLException {
        String known = schema.get();
        if (known == null) {
            schema.compareAndSet(null, onSearchPathOf(connection));
            known = schema();
        }
        return known;
    }

    private static String onSearchPathOf(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FIND);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("there is no table fbf_witness on the search path", UNDEFINED_TABLE);
            }
            return rows.getString(1);
        }
    }

    /**
     * Looks whether a table is there and the user may do what fbf does with it.
     *
     * @param table its name in a template
     * @param privileges what has to be granted, in words with spaces between them
     * @throws SQLException if it is not there (SQL state 42P01, or 3F000 if the schema is not), if a privilege is missing
     *     (42501), or if the database cannot be reached
     */
    void check(Connection connection, String table, String privileges) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(MISSING_PRIVILEGES)) {
            String name = sql(connection, table);
            statement.setString(1, privileges);
            statement.setString(2, name);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                String missing = rows.getString(1);
                if (missing != null) {
                    throw new SQLException(missing + " not granted on " + name, SqlFailures.INSUFFICIENT_PRIVILEGE);
                }
            }
        }
    }

    /**
     * The schema, unquoted.
     *
     * @throws IllegalStateException if no connection has {@linkplain #find found} it
     */
    String schema() {
        String known = schema.get();
        if (known == null) {
            throw new IllegalStateException("schema=null: find() must be called first");
        }
        return known;
    }

    /** SQL of a template; looks for the tables if nobody has. */
    String sql(Connection connection, String template) throws SQLException {
        String known = statements.get(template);
        if (known != null) {
            return known;
        }
        find(connection);
        return sql(template);
    }

    /**
     * SQL of a template.
     *
     * @throws IllegalStateException if no connection has {@linkplain #find found} the tables
     */
    String sql(String template) {
        String known = statements.get(template);
        if (known == null) {
            known = template.replace(PLACEHOLDER, Identifiers.quote(schema()));
            statements.put(template, known);
        }
        return known;
    }

    /** The name of the counters' table in SQL. */
    String counter() {
        return sql(COUNTER);
    }
}
