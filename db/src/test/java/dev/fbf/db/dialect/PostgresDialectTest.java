package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(60)
class PostgresDialectTest {

    @RegisterExtension
    static final FbfDatabase durable =
            new FbfDatabase(Map.of("fsync", "on", "synchronous_commit", "on", "full_page_writes", "on"));

    /** On the server that the tests share, for which nothing is worth a sync. */
    @RegisterExtension
    static final FbfDatabase fleeting = new FbfDatabase();

    @Test
    void hasNoWarningForADurableServer() throws SQLException {
        assertThat(Dialect.of(durable.connect()).warnings(durable.connect())).isEmpty();
    }

    @Test
    void warnsOfEachSettingThatCanLoseCommits() throws SQLException {
        assertThat(Dialect.of(fleeting.connect()).warnings(fleeting.connect()))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("synchronous_commit is off: "),
                        second -> assertThat(second).startsWith("fsync is off: "),
                        third -> assertThat(third).startsWith("full_page_writes is off: "));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void warnsOfWhatTheSessionHas(boolean autoCommit) throws SQLException {
        Connection connection = durable.connect();
        execute(connection, "SET synchronous_commit = off");
        connection.setAutoCommit(autoCommit);

        assertThat(Dialect.of(connection).warnings(connection))
                .singleElement()
                .asString()
                .startsWith("synchronous_commit is off: ");
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(durable.isIdle(connection)).isTrue();
    }
}
