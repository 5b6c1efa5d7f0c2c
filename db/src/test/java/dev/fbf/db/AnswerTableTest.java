package dev.fbf.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers, which live as long as their operations are in the ledger. */
class AnswerTableTest {

    private static final AnswerTable ANSWERS = new AnswerTable(FbfDatabase.TABLES);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final Answer answer =
            new Answer(UUID.randomUUID(), 201, "text/plain;charset=UTF-8", "/orders/1", new byte[] {0, 1, -1});
    private Connection connection;

    @BeforeEach
    void connect() throws SQLException {
        connection = database.connect();
    }

    @Test
    void anAnswerIsFoundAsItWasEntered() throws SQLException {
        Answer bare = new Answer(UUID.randomUUID(), 204, null, null, new byte[0]);
        apply(answer.operation(), Duration.ofHours(1));
        apply(bare.operation(), Duration.ofHours(1));
        ANSWERS.insert(connection, List.of(answer, bare));

        assertThat(ANSWERS.find(connection, answer.operation())).isEqualTo(answer);
        assertThat(ANSWERS.find(connection, bare.operation())).isEqualTo(bare);
        assertThat(ANSWERS.find(connection, UUID.randomUUID())).isNull();
    }

    @Test
    void theFirstAnswerStands() throws SQLException {
        apply(answer.operation(), Duration.ofHours(1));
        ANSWERS.insert(connection, List.of(answer));
        ANSWERS.insert(connection, List.of(new Answer(answer.operation(), 200, null, null, new byte[0])));

        assertThat(ANSWERS.find(connection, answer.operation())).isEqualTo(answer);
    }

    @Test
    void theAnswerOfAnOperationThatWasNotAppliedIsLeftOut() throws SQLException {
        Answer other = new Answer(UUID.randomUUID(), 200, null, null, new byte[0]);
        apply(other.operation(), Duration.ofHours(1));
        ANSWERS.insert(connection, List.of(answer, other));

        assertThat(ANSWERS.find(connection, answer.operation())).isNull();
        assertThat(ANSWERS.find(connection, other.operation())).isEqualTo(other);
    }

    @Test
    void answersGoWithTheirOperations() throws SQLException, InterruptedException {
        apply(answer.operation(), Duration.ofMillis(1));
        ANSWERS.insert(connection, List.of(answer));
        while (FbfDatabase.LEDGER.contains(connection, answer.operation())) {
            FbfDatabase.LEDGER.purge(connection, 1_000);
        }

        assertThat(ANSWERS.find(connection, answer.operation())).isNull();
    }

    @Test
    void theConnectionIsLeftAsItWas() throws SQLException {
        FbfDatabase.execute(connection, "SET synchronous_commit = on");
        ANSWERS.insert(connection, List.of(answer));

        assertThat(connection.getAutoCommit()).isTrue();
        try (Statement statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW synchronous_commit")) {
            rows.next();
            assertThat(rows.getString(1)).isEqualTo("on");
        }
    }

    private void apply(UUID operation, Duration retention) throws SQLException {
        connection.setAutoCommit(false);
        FbfDatabase.LEDGER.insert(connection, operation, null, retention);
        connection.commit();
        connection.setAutoCommit(true);
    }
}
