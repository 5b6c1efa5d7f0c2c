package dev.fbf.db.connection;

import static dev.fbf.db.FbfDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlFailuresTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @ParameterizedTest
    @CsvSource({
        "0A000, true", // the plan of a statement has another result type now
        "26000, true", // the prepared statement is one of another server connection
        "23505, true",
        "40001, true",
        "57014, true",
        "58030, true",
        "XX000, true",
        "P0001, true",
        "40003, false",
        "08006, false",
        "57P01, false",
    })
    void anErrorOfTheServerOnAnOpenConnectionIsCertain(String state, boolean certain) throws SQLException {
        Connection connection = database.connect();

        SQLException error = catchThrowableOfType(
                SQLException.class,
                () -> execute(connection, "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + state + "'; END $$"));

        assertThat(error.getSQLState()).isEqualTo(state);
        assertThat(SqlFailures.isSure(error, connection)).isEqualTo(certain);
        connection.close();
        assertThat(SqlFailures.isSure(error, connection)).isFalse();
    }

    @Test
    void whatTheDriverThrowsByItselfIsNotCertain() throws SQLException {
        Connection connection = database.connect();

        SQLException error = catchThrowableOfType(
                SQLException.class,
                () -> connection.prepareStatement("SELECT ?").executeQuery());

        assertThat(SqlFailures.isSure(error, connection)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"23505, true", "40003, false", "08006, false", "HY000, false"})
    void ofAnotherDriverTheStatesThatAreKnownCount(String state, boolean certain) throws SQLException {
        assertThat(SqlFailures.isSure(new SQLException("no", state), database.connect()))
                .isEqualTo(certain);
    }
}
