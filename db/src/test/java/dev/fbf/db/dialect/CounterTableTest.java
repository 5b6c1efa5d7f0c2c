package dev.fbf.db.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
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
}
