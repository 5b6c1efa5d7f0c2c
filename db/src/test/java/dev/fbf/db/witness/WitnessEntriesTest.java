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
import dev.fbf.core.witness.AfterPowerFailure;
import dev.fbf.core.witness.Durability;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.Mark;
import dev.fbf.db.connection.TransactionConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
        open(Durability.PROCESS);
    }

    private void open(Durability durability) throws SQLException {
        node = Node.open(directory.resolve(durability.name()), 4, durability, AfterPowerFailure.WARN);
        scope = node.scope("scope", new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan());
        witnessed = node.database("database");
        witness = new WitnessTable(FbfDatabase.TABLES, node.id());
        witnessed.setTokens(witness.prepare(database.connect(), witnessed.slots()));
        tx = database.begin();
        connection = new TransactionConnection(tx, Connection.class);
        transaction = new OperationTransaction(() -> new WitnessEntries(witnessed, witness));
    }

    /** The caller has got the connection before. */
    private void share() throws SQLException {
        connection = new TransactionConnection(tx, null);
    }

    @AfterEach
    void end() {
        node.close();
    }

    @Test
    void theRowIsTurnedOnceWithTheFirstStatementForAllOperations() throws Exception {
        Claim claim = claim("a");
        assertThat(enter(claim)).isNull();
        assertThat(enter("b")).isNull();
        assertThat(turnedRows(tx)).isZero();
        assertThat(claim.isHeld()).as("by the call, not by the transaction").isTrue();

        connection.flush();

        assertThat(turnedRows(tx)).isEqualTo(1);
        assertThat(claim.isHeld()).isFalse();
        assertThat(enter("c")).isNull();
        assertThat(connection.isWaiting()).isFalse();
        assertThat(transaction.size()).isEqualTo(3);

        transaction.beforeCommit(() -> {});
        tx.commit();
        transaction.committed();

        for (String key : List.of("a", "b", "c")) {
            assertThat(admit(key)).isEqualTo(Refusal.APPLIED);
        }
        assertThat(turnedRows(database.connect())).isEqualTo(1);
    }

    @Test
    void aRollbackBeforeTheFirstStatementMakesTheOperationsNew() throws Exception {
        enter("a");
        enter("b");

        tx.rollback();
        transaction.rolledBack();

        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(admit("b")).isInstanceOf(Claim.class);
    }

    @Test
    void anEndThatWasNotReportedBeforeTheFirstStatementLeavesNothingInDoubt() throws Exception {
        Claim claim = claim("a");
        enter(claim);

        transaction.inDoubt();

        assertThat(transaction.awaitSettled(claim, new SQLException(), Duration.ZERO))
                .isNull();
        assertThat(admit("a")).isInstanceOf(Claim.class);
    }

    @Test
    void theRowIsTurnedAtOnceWhereTheCallerHasTheConnection() throws Exception {
        share();

        assertThat(enter("a")).isNull();

        assertThat(turnedRows(tx)).isEqualTo(1);
        assertThat(admit("a")).isEqualTo(Refusal.IN_PROGRESS);
    }

    @Test
    void whereTheRowHasAnotherTokenTheOperationIsNewAgainAndTheNextOneIsEntered() throws Exception {
        share();
        execute(database.connect(), "UPDATE fbf_witness SET token = 7");

        assertThat(enter("a")).isEqualTo(Refusal.RECOVERING);

        assertThat(transaction.size()).isZero();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(witnessed.settleable())
                .singleElement()
                .satisfies(slot -> assertThat(slot.operations()).isEmpty());
        execute(database.connect(), "UPDATE fbf_witness SET token = 0");
        assertThat(enter("b")).isNull();
        assertThat(turnedRows(tx)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereTheRowTurnsOutToHaveAnotherTokenItsTransactionIsOverWhateverIsSaidOfIt(boolean rolledBack)
            throws Exception {
        Claim claim = claim("a");
        enter(claim);
        assertThat(transaction.failedEntry(claim, LONG)).isNull();
        execute(database.connect(), "UPDATE fbf_witness SET token = 7");
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connection.flush());

        if (rolledBack) {
            transaction.rolledBack();
        } else {
            transaction.inDoubt();
        }

        assertThat(transaction.failedEntry(claim, LONG)).isEqualTo(Refusal.RECOVERING);
        assertThat(transaction.awaitSettled(claim, new SQLException(), LONG)).isNull();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(witnessed.settleable())
                .singleElement()
                .satisfies(slot -> assertThat(slot.operations()).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneInDoubtIsSettledByTheWitness(boolean committed) throws Exception {
        Claim claim = claim("a");
        enter(claim);
        connection.flush();
        transaction.beforeCommit(() -> {});
        transaction.inDoubt();
        assertThat(transaction.awaitSettled(claim, new SQLException(), SHORT)).isEqualTo(Refusal.IN_DOUBT);
        WitnessedTransaction inDoubt = witnessed.settleable().iterator().next();

        inDoubt.settled(committed, inDoubt.next());

        assertThat(transaction.awaitSettled(claim, new SQLException(), LONG))
                .isEqualTo(committed ? Refusal.APPLIED : null);
    }

    @Test
    void whatWasRolledBackIsNewAgainAndNotInDoubt() throws Exception {
        Claim claim = claim("a");
        enter(claim);
        connection.flush();

        tx.rollback();
        transaction.rolledBack();

        assertThat(transaction.awaitSettled(claim, new SQLException(), SHORT)).isNull();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(witnessed.inDoubt()).isZero();
    }

    @Test
    void withoutAnOperationNothingFollows() throws SQLException {
        assertThat(transaction.size()).isZero();

        transaction.backTo(new Mark(0, false));
        transaction.beforeCommit(() -> {});
        transaction.committed();
        transaction.rolledBack();
        transaction.inDoubt();

        assertThat(transaction.awaitSettled(claim("b"), new SQLException(), LONG))
                .isNull();
        assertThat(witnessed.inDoubt()).isZero();
    }

    @Test
    void whatASavepointTakesBackBeforeTheFirstStatementIsNewAtOnce() throws Exception {
        enter("a");

        transaction.backTo(new Mark(0, false));

        assertThat(admit("a")).isInstanceOf(Claim.class);
    }

    @Test
    void whatCameAfterASavepointIsTakenBackAndTheRestApplied() throws Exception {
        enter("a");
        connection.flush();
        Savepoint savepoint = tx.setSavepoint();
        enter("b");

        tx.rollback(savepoint);
        transaction.backTo(new Mark(1, false));

        assertThat(enter("c")).isNull();
        assertThat(connection.isWaiting()).as("the row is turned").isFalse();
        tx.commit();
        transaction.committed();
        assertThat(admit("a")).isEqualTo(Refusal.APPLIED);
        assertThat(admit("b")).isInstanceOf(Claim.class);
        assertThat(admit("c")).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void aTurnThatIsTakenBackIsMadeAgainForTheNextOperation() throws Exception {
        Savepoint first = tx.setSavepoint();
        enter("a");
        connection.flush();
        tx.rollback(first);
        transaction.backTo(new Mark(0, false));
        assertThat(turnedRows(tx)).isZero();

        enter("b");
        connection.flush();
        assertThat(turnedRows(tx)).isEqualTo(1);

        Savepoint second = tx.setSavepoint();
        int size = transaction.size();
        enter("c");
        tx.rollback(second);
        transaction.backTo(new Mark(size, false));
        tx.commit();
        transaction.committed();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(admit("b")).isEqualTo(Refusal.APPLIED);
        assertThat(admit("c")).isInstanceOf(Claim.class);
    }

    @Test
    void aTransactionWhoseTurnsAreAllTakenBackAppliesNothing() throws Exception {
        enter("a");
        transaction.backTo(new Mark(0, false));
        assertThat(connection.isWaiting()).isFalse();
        Savepoint savepoint = tx.setSavepoint();
        int size = transaction.size();
        enter("b");
        connection.flush();

        tx.rollback(savepoint);
        transaction.backTo(new Mark(size, false));

        tx.commit();
        transaction.committed();
        assertThat(turnedRows(database.connect())).isZero();
        assertThat(admit("a")).isInstanceOf(Claim.class);
        assertThat(admit("b")).isInstanceOf(Claim.class);
    }

    @Test
    void beforeTheCommitTheClaimsAreForcedToTheDiskWhereThatIsAskedFor() throws Exception {
        node.close();
        open(Durability.HOST);
        byte[] before = logged();
        enter("a");
        connection.flush();

        transaction.beforeCommit(() -> {});

        assertThat(logged()).isNotEqualTo(before);
    }

    private byte[] logged() throws IOException {
        return Files.readAllBytes(directory.resolve("HOST").resolve("fbf.log~1"));
    }

    private @Nullable Refusal enter(String key) throws SQLException {
        return enter(claim(key));
    }

    private @Nullable Refusal enter(Claim claim) throws SQLException {
        return transaction
                .enter(
                        List.of(new OperationTransaction.Entering(claim, null)),
                        connection,
                        OperationTransaction.LostWork.CALLERS)
                .get(claim);
    }

    private Claim claim(String key) {
        return (Claim) admit(key);
    }

    private Admission admit(String key) {
        return scope.admit(OperationId.of("scope", "", key));
    }

    private static int turnedRows(Connection connection) throws SQLException {
        return Integer.parseInt(query(connection, "SELECT count(*) FROM fbf_witness WHERE token <> 0"));
    }
}
