package dev.fbf.db.dialect;

import dev.fbf.db.counter.CounterRows;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;

/**
 * A kind of database, and what differs in its SQL. Failures of its statements have PostgreSQL's SQL states, whatever the database's own are.
 * Thread-safe.
 */
public interface Dialect {

    /** PostgreSQL's, the only one with filter mode. */
    Dialect POSTGRESQL = PostgresDialect.INSTANCE;

    /** Flyway's history table for these migrations. */
    String HISTORY_TABLE = "fbf_schema_history";

    /** Location of the migrations, each database's in a directory of its own. */
    String LOCATION = "classpath:dev/fbf/db/migration";

    /**
     * Returns the dialect of a database, by the name of its product.
     *
     * @throws SQLFeatureNotSupportedException if fbf has none
     * @throws SQLException if the database cannot be reached
     */
    static Dialect of(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String product = database.getDatabaseProductName();
        if (product.equals("PostgreSQL")) {
            return POSTGRESQL;
        }
        for (StandardDialect dialect : StandardDialect.ALL) {
            // MySQL's driver takes MariaDB for MySQL
            if (product.equals(dialect.product())
                    || String.valueOf(database.getDatabaseProductVersion()).contains(dialect.product())) {
                return dialect;
            }
        }
        throw new SQLFeatureNotSupportedException("fbf does not support " + product);
    }

    /**
     * Returns the modes of scopes; null if the database has no filter mode.
     *
     * @param schema the schema of the table, unquoted
     */
    @Nullable ModeTable modes(String schema);

    /** Returns a name quoted for SQL. */
    String quote(String name);

    /**
     * Finds the schema that has the tables, for a connection.
     *
     * @throws SQLException if there are none (SQL state 42P01), or the database cannot be reached
     */
    String schemaOf(Connection connection) throws SQLException;

    /**
     * Checks that a table exists and that the user has privileges.
     *
     * @param table its name in SQL
     * @param privileges the privileges, separated by spaces
     * @throws SQLException if the table does not exist (SQL state 42P01, or 3F000 if the schema does not exist), if a privilege is missing
     *     (42501), or if the database cannot be reached
     */
    void check(Connection connection, String table, String privileges) throws SQLException;

    /**
     * Checks that a connection without an open transaction can write.
     *
     * @throws SQLException if its transactions are read-only (SQL state 25006), or the database cannot be reached
     */
    void requireWritable(Connection connection) throws SQLException;

    /**
     * Returns a warning with a remedy for each setting with which a crash can lose committed transactions.
     *
     * @param connection a connection configured as those of guarded transactions, without an open transaction
     */
    List<String> warnings(Connection connection) throws SQLException;

    /**
     * Creates or updates the tables.
     *
     * @param schema the schema, which is created if it does not exist; null for the data source's default schema
     * @return false if they were up to date
     * @throws FlywayException if the user may not create tables, the database cannot be reached, or a migration fails
     */
    boolean migrate(DataSource dataSource, @Nullable String schema);

    /**
     * Returns the counters in {@code fbf_counter}.
     *
     * @param schema its schema, unquoted
     */
    CounterRows counters(String schema);

    /**
     * Returns the counters of an application's table, as {@code Counters.Table} describes it.
     *
     * @throws IllegalArgumentException if the table or a column does not exist, is not as required, or may not be changed
     */
    CounterRows counters(Connection connection, String table, String key, String value) throws SQLException;

    /**
     * Returns a ledger.
     *
     * @param schema the schema of its tables, unquoted
     */
    Ledger ledger(String schema);
}
