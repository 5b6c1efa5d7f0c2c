package dev.fbf.db.dialect;

import dev.fbf.db.connection.Identifiers;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** PostgreSQL, the only database with filter mode. */
enum PostgresDialect implements Dialect {
    INSTANCE;

    private static final String FIND = """
            SELECT home.nspname FROM pg_catalog.pg_class AS found
            JOIN pg_catalog.pg_namespace AS home ON home.oid = found.relnamespace
            WHERE found.oid = pg_catalog.to_regclass('fbf_witness')
            """;

    private static final String OBSTACLE = """
            SELECT CASE WHEN row_security_active(?) THEN 'row-level security is active' ELSE (
              SELECT string_agg(privilege, ', ') || ' not granted' FROM unnest(string_to_array(?, ' ')) AS privilege
              WHERE NOT has_table_privilege(?, privilege)) END
            """;

    private static final String IS_READ_ONLY = "SELECT current_setting('transaction_read_only')::boolean";

    private static final String WARNINGS = """
            SELECT name || ' is off: ' || risk || '.' FROM (VALUES
              ('synchronous_commit', 'a crash of the database server loses the last operations that were acknowledged; set it to on,'
                ' for the server or for fbf''s database user'),
              ('fsync', 'a crash of the database''s host loses operations that were acknowledged, and can corrupt the database; set it'
                ' to on in postgresql.conf'),
              ('full_page_writes', 'a crash of the database''s host can corrupt pages with operations that were acknowledged; set it'
                ' to on in postgresql.conf, unless the file system never writes a page in part'))
            AS setting (name, risk) WHERE current_setting(name, true) = 'off'
            """;

    @Override
    public ModeTable modes(String schema) {
        return new ModeTable(new Tables(quote(schema)));
    }

    @Override
    public String quote(String name) {
        return Identifiers.quote(name);
    }

    @Override
    public String schemaOf(Connection connection) throws SQLException {
        String found = Sql.find(connection, FIND, row -> row.getString(1));
        if (found == null) {
            throw new SQLException("there is no table fbf_witness on the search path", SqlFailures.UNDEFINED_TABLE);
        }
        return found;
    }

    @Override
    public void check(Connection connection, String table, String privileges) throws SQLException {
        String obstacle = Sql.find(connection, OBSTACLE, row -> row.getString(1), table, privileges, table);
        if (obstacle != null) {
            throw new SQLException(obstacle + " on " + table, SqlFailures.INSUFFICIENT_PRIVILEGE);
        }
    }

    @Override
    public void requireWritable(Connection connection) throws SQLException {
        if (Sql.get(connection, IS_READ_ONLY, row -> row.getBoolean(1))) {
            throw new SQLException("the database is read-only", SqlFailures.READ_ONLY);
        }
    }

    @Override
    public List<String> warnings(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
            List<String> warnings = Sql.rows(connection, WARNINGS, row -> row.getString(1));
            transaction.commit();
            return warnings;
        }
    }

    @Override
    public boolean migrate(DataSource dataSource, @Nullable String schema) {
        return Migrations.apply(dataSource, schema);
    }

    @Override
    public CounterRows counters(String schema) {
        return CounterTable.ofFbf(quote(schema) + ".fbf_counter");
    }

    @Override
    public CounterRows counters(Connection connection, String table, String key, String value) throws SQLException {
        return CounterTable.of(connection, table, key, value);
    }

    @Override
    public Ledger ledger(String schema) {
        return new PostgresLedger(new Tables(quote(schema)));
    }
}
