package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.ledger.TestLedger.LEDGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfDatabase;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The prelude that enters an operation in the ledger. */
class LedgerPreludeTest {

    private static final Duration HOUR = Duration.ofHours(1);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private final UUID operation = UUID.randomUUID();

    private Connection tx;
    private TransactionConnection preludes;

    @BeforeEach
    void begin() throws SQLException {
        LEDGER.trust(database.connect());
        tx = database.begin();
        preludes = new TransactionConnection(tx, Connection.class);
    }

    @Test
    void theLedgerRefusesAnOperationThatAnotherTransactionIsEnteringAtOnce() throws SQLException {
        Connection other = database.begin();
        LEDGER.insert(other, operation, null, Duration.ofMinutes(1));
        preludes.add(LEDGER.prelude(tx, operation, null, Duration.ofMinutes(1)));

        assertThatExceptionOfType(SQLTransactionRollbackException.class).isThrownBy(() -> preludes.flush());

        tx.rollback();
        other.rollback();
        preludes.drop();
        preludes.add(LEDGER.prelude(tx, operation, null, Duration.ofMinutes(1)));
        preludes.flush();
        assertThat(LEDGER.contains(tx, operation)).isTrue();
    }

    @Test
    void preludeThatMeetsAnOperationOfTheLedgerIsRefused() throws SQLException {
        Connection connection = database.elsewhere();
        connection.setAutoCommit(false);
        LEDGER.prelude(connection, operation, null, HOUR).executeAlone(connection);
        connection.commit();

        Prelude second = LEDGER.prelude(connection, operation, null, HOUR);
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> second.executeAlone(connection));
        assertThat(second.isRefused()).isTrue();
    }

    /** What violates a constraint there is the caller's own statement. */
    @Test
    void tableOfTheSameNameInAnotherSchemaIsNotFbfs() throws SQLException {
        Connection connection = database.elsewhere();
        execute(connection, "CREATE SCHEMA IF NOT EXISTS tenant");
        execute(connection, "DROP TABLE IF EXISTS tenant.fbf_ledger");
        execute(connection, "CREATE TABLE tenant.fbf_ledger (one int PRIMARY KEY CHECK (one = 1))");
        connection.setAutoCommit(false);
        TransactionConnection itsPreludes = new TransactionConnection(connection, Connection.class);
        Prelude prelude = LEDGER.prelude(connection, operation, null, HOUR);
        itsPreludes.add(prelude);

        try (PreparedStatement statement =
                itsPreludes.forCaller().prepareStatement("INSERT INTO tenant.fbf_ledger VALUES (2)")) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(statement::executeUpdate)
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23514"));
        }
        assertThat(prelude.isRefused()).isFalse();
    }
}
