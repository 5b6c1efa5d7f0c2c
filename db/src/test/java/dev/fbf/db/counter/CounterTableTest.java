package dev.fbf.db.counter;

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
    @CsvSource({"0, 10", "20000, 10", "10001, 10", "10000, 0", "5000, 0"})
    void isCanceledAfterTenSecondsUnlessTheConnectionIsGivenUpByThen(int silenceMillis, int seconds)
            throws SQLException {
        Connection connection = database.connect();
        connection.setNetworkTimeout(Runnable::run, silenceMillis);

        try (PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            CounterTable.limit(connection, statement);

            assertThat(statement.getQueryTimeout()).isEqualTo(seconds);
        }
    }
}
