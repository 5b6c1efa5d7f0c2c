package dev.fbf.db.witness;

import static dev.fbf.db.FbfDatabase.execute;
import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.CommitInDoubtException;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.connection.TransactionConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the claims of a caller's transaction follow it. */
@Timeout(20)
class WitnessEntriesTest {

    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofNanos(1);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @TempDir
    private Path directory;

    private Node node;
    private ScopeClaims scope;
    private WitnessedDatabase witnessed;
    private WitnessTable witness;
    private OperationTransaction transaction;
    private TransactionConnection connection;
    private Connection tx;

    @BeforeEach
    void begin() throws SQLException {
        node = Node.open(directory, 4, false);
        scope = node.scope("scope", new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan());
        witnessed = node.database("database");
        witness = new WitnessTable(FbfDatabase.TABLES, witnessed.witness());
        witnessed.setTokens(witnessed.tokens(), witness.prepare(database.connect(), witnessed.slots()));
        beginWith(true);
    }

    /** @param sendsCommit whether COMMIT goes with the row's update; otherwise a manager such as JPA's sends it */
    private void beginWith(boolean sendsCommit) throws SQLException {
        tx = database.begin();
        connection = new TransactionConnection(tx);
        WitnessStore store = new WitnessStore(
                StrangeConnections.dataSource(database::connect),
                FbfDatabase.TABLES,
                witnessed,
                sendsCommit,
                failure -> {});
        transaction = new OperationTransaction(store::newEntries);
    }

    @AfterEach
    void end() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRowIsTurnedOnceForAllOperationsWithTheLastStatement(boolean sendsCommit) throws Exception {
        beginWith(sendsCommit);
        enter("a");
        execute(tx, "SELECT 1");
        enter("b");
        assertThat(transaction.size()).isEqualTo(2);
        assertThat(turnedRows(tx)).isZero();

        transaction.beforeCommit(() -> {}, true);

        assertThat(turnedRows(database.connect())).isEqualTo(sendsCommit ? 1 : 0);
        assertThat(transaction.state()).isEqualTo(sendsCommit ? State.COMMITTED : State.COMMITTING);
        tx.commit();
        transaction.committed();
        assertThat(admit("a")).isEqualTo(Refusal.APPLIED);
        assertThat(admit("b")).isEqualTo(Refusal.APPLIED);
        assertThat(turnedRows(database.connect())).isEqualTo(1);
    }

    @Test
    void untilCommitNothingIsRecordedAndARollbackMakesTheOperationsNew() throws Exception {
        Claim claim = claim("a");
        enter(claim);
        enter("b");
        execute(tx, "SELECT 1");
        assertThat(witnessed.settleable()).isEmpty();

        tx.rollback();
        transaction.rolledBack();

        assertThat(transaction.awaitSettled(claim, new SQLException(), SHORT)).isNull();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(admit("b")).isInstanceOf(Claim.class);
        assertThat(witnessed.inDoubt()).isZero();
    }

    @Test
    void anEndThatWasNotReportedBeforeCommitLeavesNothingInDoubt() throws Exception {
        Claim claim = claim("a");
        enter(claim);

        transaction.inDoubt();

        assertThat(transaction.awaitSettled(claim, new SQLException(), Duration.ZERO))
                .isNull();
        assertThat(admit("a")).isInstanceOf(Claim.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"UPDATE fbf_witness SET token = 7", "DELETE FROM fbf_witness"})
    void withoutARowWithItsTokenTheTransactionCanOnlyRollBackAndItsOperationsAreNew(String change) throws Exception {
        execute(tx, "CREATE TABLE IF NOT EXISTS lost (id int)");
        Claim claim = claim("a");
        enter(claim);
        assertThat(transaction.failedEntry(claim)).isNull();
        execute(database.connect(), change);

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> transaction.beforeCommit(() -> {}, true))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("40001"));

        tx.rollback();
        transaction.rolledBack();
        assertThat(transaction.failedEntry(claim)).isEqualTo(Refusal.RECOVERING);
        assertThat(transaction.awaitSettled(claim, new SQLException(), LONG)).isNull();
        assertThat(query(database.connect(), "SELECT to_regclass('lost') IS NULL"))
                .isEqualTo("t");
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(witnessed.settleable())
                .singleElement()
                .satisfies(slot -> assertThat(slot.operations()).isEmpty());
    }

    @Test
    void aCommitWithoutResponseIsInDoubt() throws Exception {
        Claim claim = claim("a");
        enter(claim);
        execute(tx, "SELECT 1");
        terminate(tx);

        assertThatExceptionOfType(CommitInDoubtException.class)
                .isThrownBy(() -> transaction.beforeCommit(() -> {}, true));

        assertThat(transaction.state()).isEqualTo(State.IN_DOUBT);
        assertThat(admit("a")).isEqualTo(Refusal.IN_DOUBT);
    }

    @Test
    void aFailureAtCommitThatTheServerReportsIsARollback() throws Exception {
        execute(tx, "CREATE TEMPORARY TABLE once (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        Claim claim = claim("a");
        enter(claim);
        execute(tx, "INSERT INTO once VALUES (1), (1)");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> transaction.beforeCommit(() -> {}, true))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23505"));

        transaction.rolledBack();
        assertThat(transaction.failedEntry(claim)).isNull();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(witnessed.inDoubt()).isZero();
    }

    private void enter(String key) throws SQLException {
        enter(claim(key));
    }

    private void enter(Claim claim) throws SQLException {
        List<Claim> operation = List.of(claim);
        assertThat(transaction.enter(operation, connection, LostWork.CALLERS)).isEmpty();
    }

    private static void terminate(Connection victim) throws SQLException {
        String pid = query(victim, "SELECT pg_backend_pid()");
        execute(database.connect(), "SELECT pg_terminate_backend(" + pid + ")");
    }

    private Claim claim(String key) {
        return (Claim) admit(key);
    }

    private Admission admit(String key) {
        return scope.admit(OperationId.of("scope", "", key), null);
    }

    private static int turnedRows(Connection connection) throws SQLException {
        return Integer.parseInt(query(connection, "SELECT count(*) FROM fbf_witness WHERE token <> 0"));
    }
}
