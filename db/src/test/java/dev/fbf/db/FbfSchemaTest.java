package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.connection.Identifiers;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** fbf's tables in a schema that needs quoting, over connections whose search path does not have it. */
class FbfSchemaTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = database.elsewhere();
    }

    @Test
    void firstConnectionDecidesWhereTheTablesAre() throws SQLException {
        FbfSchema tables = FbfSchema.onSearchPath();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> tables.sql(connection, "{fbf}.fbf_ledger"))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42P01"));

        assertThat(tables.find(database.connect())).isEqualTo(FbfDatabase.SCHEMA);
        assertThat(tables.find(connection)).isEqualTo(FbfDatabase.SCHEMA);
    }

    @Test
    void missingPrivilegesAreNamed() throws SQLException {
        Connection owner = database.connect();
        execute(owner, "DROP ROLE IF EXISTS visitor; CREATE ROLE visitor");
        String schema = Identifiers.quote(FbfDatabase.SCHEMA);
        execute(owner, "GRANT USAGE ON SCHEMA " + schema + " TO visitor");
        execute(owner, "GRANT SELECT ON ALL TABLES IN SCHEMA " + schema + " TO visitor");
        try {
            execute(connection, "SET ROLE visitor");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() ->
                            FbfDatabase.TABLES.check(connection, "{fbf}.fbf_ledger", "SELECT INSERT UPDATE DELETE"))
                    .withMessage("INSERT, UPDATE, DELETE not granted on " + schema + ".fbf_ledger")
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        } finally {
            execute(connection, "RESET ROLE");
            execute(owner, "DROP OWNED BY visitor; DROP ROLE visitor");
        }
    }
}
