package dev.fbf.db.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables of counters on a real server. */
class CounterTableTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @ParameterizedTest
    @CsvSource({"0, 2", "20000, 2", "2001, 2", "2000, 0", "1000, 0"})
    void aGroupIsCanceledAfterTwoSecondsUnlessTheConnectionIsGivenUpByThen(int silenceMillis, int seconds)
            throws SQLException {
        Connection connection = database.connect();
        connection.setNetworkTimeout(Runnable::run, silenceMillis);

        try (PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            CounterTable.limit(connection, statement);

            assertThat(statement.getQueryTimeout()).isEqualTo(seconds);
        }
    }

    @Test
    void aViewIsRefusedAndItsTableAskedFor() throws SQLException {
        Connection connection = database.connect();
        FbfDatabase.execute(
                connection,
                "CREATE TABLE seen (name text PRIMARY KEY, views bigint NOT NULL); CREATE VIEW seen_today AS TABLE seen");
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CounterTable.of(connection, "seen_today", "name", "views"))
                    .withMessage("table=seen_today: is a view: name the table below it");
        } finally {
            FbfDatabase.execute(connection, "DROP TABLE seen CASCADE");
        }
    }

    @Test
    void aTableWhoseCountersTheUserMayNotUpdateIsRefused() throws SQLException {
        Connection connection = database.connect();
        FbfDatabase.execute(
                connection,
                "CREATE TABLE readable (name text PRIMARY KEY, views bigint NOT NULL); CREATE ROLE reader;"
                        + " GRANT SELECT ON readable TO reader; SET ROLE reader");
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CounterTable.of(connection, "readable", "name", "views"))
                    .withMessage("table=readable: this user may not read and update its counters");

            FbfDatabase.execute(connection, "RESET ROLE; GRANT UPDATE (views) ON readable TO reader; SET ROLE reader");
            assertThat(CounterTable.of(connection, "readable", "name", "views")).isNotNull();
        } finally {
            FbfDatabase.execute(connection, "RESET ROLE; DROP TABLE readable; DROP ROLE reader");
        }
    }
}
