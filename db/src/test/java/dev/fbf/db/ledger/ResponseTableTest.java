package dev.fbf.db.ledger;

import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.Response;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Responses, which live as long as their operations are in the ledger. */
class ResponseTableTest {

    private static final ResponseTable RESPONSES = new ResponseTable(FbfDatabase.TABLES);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final Response response = new Response(
            UUID.randomUUID(),
            201,
            "Content-Type: text/plain;charset=UTF-8\nLocation: /orders/1\n",
            Response.Ending.FLUSHED,
            new byte[] {0, 1, -1});
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = database.connect();
    }

    @Test
    void aResponseIsFoundAsItWasEntered() throws SQLException {
        Response bare = new Response(UUID.randomUUID(), 204, "", Response.Ending.RETURNED, new byte[0]);
        apply(response.operation(), Duration.ofHours(1));
        apply(bare.operation(), Duration.ofHours(1));
        RESPONSES.insert(connection, List.of(response, bare));

        assertThat(RESPONSES.find(connection, response.operation())).isEqualTo(response);
        assertThat(RESPONSES.find(connection, bare.operation())).isEqualTo(bare);
        assertThat(RESPONSES.find(connection, UUID.randomUUID())).isNull();
    }

    @Test
    void theFirstResponseStands() throws SQLException {
        apply(response.operation(), Duration.ofHours(1));
        RESPONSES.insert(connection, List.of(response));
        RESPONSES.insert(
                connection,
                List.of(new Response(response.operation(), 200, "", Response.Ending.RETURNED, new byte[0])));

        assertThat(RESPONSES.find(connection, response.operation())).isEqualTo(response);
    }

    @Test
    void theResponseOfAnOperationThatWasNotAppliedIsLeftOut() throws SQLException {
        Response other = new Response(UUID.randomUUID(), 200, "", Response.Ending.RETURNED, new byte[0]);
        apply(other.operation(), Duration.ofHours(1));
        RESPONSES.insert(connection, List.of(response, other));

        assertThat(RESPONSES.find(connection, response.operation())).isNull();
        assertThat(RESPONSES.find(connection, other.operation())).isEqualTo(other);
    }

    @Test
    void responsesGoWithTheirOperations() throws SQLException {
        apply(response.operation(), Duration.ofHours(1));
        RESPONSES.insert(connection, List.of(response));
        new LedgerHorizon(FbfDatabase.TABLES).advance(connection);
        FbfDatabase.execute(
                connection,
                "INSERT INTO fbf_horizon SELECT clock_timestamp(), ended_by - interval '1 hour' FROM fbf_horizon");

        assertThat(LEDGER.purge(connection, 0, 1_000)).isEqualTo(1);
        assertThat(RESPONSES.find(connection, response.operation())).isNull();
    }

    @Test
    void theConnectionIsLeftAsItWas() throws SQLException {
        FbfDatabase.execute(connection, "SET synchronous_commit = on");
        RESPONSES.insert(connection, List.of(response));

        assertThat(connection.getAutoCommit()).isTrue();
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW synchronous_commit")) {
            rows.next();
            assertThat(rows.getString(1)).isEqualTo("on");
        }
    }

    private void apply(UUID operation, Duration retention) throws SQLException {
        connection.setAutoCommit(false);
        LEDGER.insert(connection, operation, null, retention);
        connection.commit();
        connection.setAutoCommit(true);
    }
}
