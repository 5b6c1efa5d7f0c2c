package dev.fbf.db.dialect;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.dialect.TestDialect.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Responses, which count while their operations are in the ledger. */
class ResponseTableTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final Response response = new Response(
            UUID.randomUUID(), 201, "Content-Type: text/plain;charset=UTF-8\nLocation: /orders/1\n", new byte[] {
                0, 1, -1
            });
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = database.connect();
    }

    @Test
    void theFirstResponseStands() throws SQLException {
        apply(response.operation(), Duration.ofHours(1));
        insert(response);
        insert(new Response(response.operation(), 200, "", new byte[0]));

        assertThat(find(response.operation())).usingRecursiveComparison().isEqualTo(response);
    }

    @Test
    void theResponseOfAnOperationThatWasNotAppliedIsLeftOut() throws SQLException {
        Response other = new Response(UUID.randomUUID(), 200, "", new byte[0]);
        apply(other.operation(), Duration.ofHours(1));
        insert(response, other);

        assertThat(find(response.operation())).isNull();
        assertThat(find(other.operation())).usingRecursiveComparison().isEqualTo(other);
    }

    /** Its transaction did not commit: the operation is applied later, by another one. */
    @Test
    void theResponseOfATransactionThatDidNotCommitGivesWay() throws SQLException {
        insert(new Response(response.operation(), 200, "", new byte[0]));
        apply(response.operation(), Duration.ofHours(1));
        assertThat(find(response.operation())).isNull();

        insert(response);

        assertThat(find(response.operation())).usingRecursiveComparison().isEqualTo(response);
    }

    /** The operation has expired, been purged and been applied anew. */
    @Test
    void theResponseToAnEarlierLifeOfTheOperationGivesWay() throws SQLException {
        apply(response.operation(), Duration.ofHours(1));
        insert(new Response(response.operation(), 200, "", new byte[0]));
        execute(connection, "DELETE FROM fbf_ledger");
        apply(response.operation(), Duration.ofHours(1));
        assertThat(find(response.operation())).isNull();

        insert(response);

        assertThat(find(response.operation())).usingRecursiveComparison().isEqualTo(response);
    }

    @Test
    void responsesExpireAndNotBeforeTheirOperations() throws SQLException {
        ExpiringRows responses = new ExpiringRows(TestDialect.TABLES, PostgresLedger.RESPONSES);
        apply(response.operation(), Duration.ofHours(1));
        insert(response);
        new LedgerHorizon(TestDialect.TABLES).advance(connection);
        execute(
                connection,
                "INSERT INTO fbf_horizon SELECT transaction_id, (SELECT ended_by - interval '1 hour' FROM fbf_horizon)"
                        + " FROM fbf_response");
        assertThat(TestDialect.purge(connection)).isEqualTo(1);
        assertThat(responses.purge(connection, 0, 1)).isZero();

        execute(
                connection,
                "UPDATE fbf_horizon SET transactions_before = pg_current_xact_id() WHERE transactions_before > '0'");
        assertThat(responses.purge(connection, 0, 1)).isEqualTo(1);
    }

    @Test
    void aResponseIsAwaitedUntilThousandsOfTransactionsHaveBegun() throws SQLException {
        apply(response.operation(), Duration.ofHours(1));
        assertThat(isAwaited()).isTrue();
        execute(connection, "DO 'BEGIN FOR n IN 1..10001 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END'");
        assertThat(isAwaited()).isFalse();
    }

    @Test
    void aResponseThatIsFoundIsNotAwaited() throws SQLException {
        apply(response.operation(), Duration.ofHours(1));
        insert(response);

        assertThat(isAwaited()).isFalse();
    }

    private void insert(Response... responses) throws SQLException {
        LEDGER.keep(connection, Stream.of(responses).map(TestDialect::kept).toList());
    }

    private @Nullable Response find(UUID operation) throws SQLException {
        return TestDialect.find(connection, operation);
    }

    private boolean isAwaited() throws SQLException {
        Ledger.Found found = LEDGER.find(connection, response.operation(), true, null);
        return found != null && found.isAwaited();
    }

    private void apply(UUID operation, Duration retention) throws SQLException {
        connection.setAutoCommit(false);
        LEDGER.insert(connection, TestDialect.claim(operation, retention, null), null, false);
        connection.commit();
        connection.setAutoCommit(true);
    }
}
