package dev.fbf.db.witness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.AfterPowerFailure;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Durability;
import dev.fbf.core.claim.Node;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.core.claim.WitnessedDatabase;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.Mark;
import dev.fbf.db.OperationTransaction.Scope;
import dev.fbf.db.connection.TransactionConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** When an operation becomes part of a transaction whose first statement takes the turn of the witness along. */
class LazyEntryTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Node node;
    private ScopeClaims guard;
    private WitnessTable witness;
    private Connection tx;
    private TransactionConnection connection;
    private OperationTransaction transaction;

    @BeforeEach
    void begin(@TempDir Path directory) throws SQLException {
        node = Node.open(directory, 8, Durability.PROCESS, AfterPowerFailure.WARN);
        guard = node.scope("scope", FilterSizing.DEFAULT.plan());
        witness = new WitnessTable(FbfDatabase.TABLES, node.id());
        WitnessedDatabase witnessed = node.database("database");
        witnessed.begin(witness.prepare(database.connect(), witnessed.slots()));
        tx = database.begin();
        connection = TransactionConnection.over(tx, Connection.class);
        transaction = new OperationTransaction(() -> new WitnessEntries(witnessed, witness));
    }

    @AfterEach
    void end() {
        node.close();
    }

    @Test
    void aClaimIsInNoTransactionBeforeTheFirstStatement() throws SQLException {
        Claim claim = enter("key");

        assertThat(claim.isHeld()).isTrue();
        executeAsCaller();

        assertThat(claim.isHeld()).isFalse();
        commit();
        assertThat(turned()).isEqualTo(1);
        assertThat(admit("key")).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void aTransactionThatExecutesNothingTurnsTheRowBeforeItsCommit() throws SQLException {
        enter("key");

        connection.flush();
        commit();

        assertThat(turned()).isEqualTo(1);
        assertThat(admit("key")).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void operationsThatAreEnteredBeforeTheFirstStatementShareItsTurn() throws SQLException {
        enter("a");
        enter("b");

        executeAsCaller();
        enter("c");
        commit();

        assertThat(turned()).isEqualTo(1);
        for (String key : List.of("a", "b", "c")) {
            assertThat(admit(key)).isEqualTo(Refusal.APPLIED);
        }
    }

    @Test
    void aRollbackBeforeTheFirstStatementMakesTheOperationsNew() throws SQLException {
        enter("a");
        enter("b");

        tx.rollback();
        transaction.rolledBack();

        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(admit("b")).isInstanceOf(Claim.class);
    }

    @Test
    void anEndThatNobodyToldOfBeforeTheFirstStatementLeavesNothingInDoubt() throws SQLException {
        Claim claim = enter("key");

        transaction.inDoubt();

        assertThat(transaction.settle(claim, Duration.ZERO)).isNull();
        assertThat(admit("key")).isInstanceOf(Claim.class);
    }

    @Test
    void anOperationThatASavepointUndidBeforeTheFirstStatementIsNewAtOnce() throws SQLException {
        enter("undone");
        transaction.backTo(new Mark(0, false));
        enter("applied");
        executeAsCaller();

        Claim again = (Claim) admit("undone");
        again.rolledBack();
        commit();

        assertThat(turned()).isEqualTo(1);
        assertThat(admit("applied")).isEqualTo(Refusal.APPLIED);
        assertThat(admit("undone")).isInstanceOf(Claim.class);
    }

    private Claim enter(String key) throws SQLException {
        Claim claim = (Claim) admit(key);
        assertThat(transaction.enter(claim, null, connection, Scope.CALL)).isNull();
        return claim;
    }

    private Object admit(String key) {
        return guard.admit(OperationId.of("scope", "", key));
    }

    private void executeAsCaller() throws SQLException {
        try (PreparedStatement statement = connection.forCaller().prepareStatement("SELECT 1")) {
            statement.execute();
        }
    }

    private void commit() throws SQLException {
        transaction.beforeCommit(() -> {});
        tx.commit();
        transaction.committed();
    }

    /** How many rows of the witness have been turned. */
    private long turned() throws SQLException {
        return witness.tokens(database.connect()).values().stream()
                .filter(token -> token != WitnessTable.NO_TOKEN)
                .count();
    }
}
