package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction.Entering;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.group.TestClaims;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The states of a transaction, whatever its store keeps of the operations. */
class OperationTransactionTest {

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    @RegisterExtension
    static final TestClaims claims = new TestClaims();

    private final List<State> ends = new ArrayList<>();
    private final List<String> calls = new ArrayList<>();
    private final Map<Claim, Refusal> refusals = new HashMap<>();
    private final OperationTransaction transaction = new OperationTransaction(RecordedEntries::new) {
        @Override
        protected void firstUse() {
            calls.add("first use");
        }

        @Override
        protected void ended() {
            calls.add("end");
        }
    };

    private Connection tx;

    @BeforeEach
    void begin() throws SQLException {
        tx = database.begin();
    }

    @Test
    void committedAsReported() throws SQLException {
        enter();
        transaction.beforeCommit(() -> {});
        transaction.committed();
        transaction.inDoubt();

        assertEndedOnceAs(State.COMMITTED);
    }

    @Test
    void isPreparedForCommitAfterTheCallersSqlAndHasOneBeginningAndOneEnd() throws SQLException {
        enter();
        assertThat(calls).containsExactly("first use");
        enter();
        transaction.beforeCommit(() -> calls.add("flush"));
        transaction.committed();
        transaction.inDoubt();

        assertThat(calls).containsExactly("first use", "flush", "prepare", "end");
    }

    @Test
    void rolledBackAsReported() throws SQLException {
        enter();
        transaction.beforeRollback();
        transaction.rolledBack();

        assertEndedOnceAs(State.ROLLED_BACK);
    }

    @Test
    void aRollbackAfterCommitWasSentIsInDoubt() throws SQLException {
        enter();
        transaction.beforeCommit(() -> {});
        transaction.rolledBack();

        assertEndedOnceAs(State.IN_DOUBT);
    }

    @Test
    void aRollbackOfWhatTheCallerMayHaveCommittedIsInDoubt() throws SQLException {
        enter();
        tx.commit();
        transaction.beforeRollback();
        transaction.rolledBack();

        assertEndedOnceAs(State.IN_DOUBT);
    }

    @Test
    void aCommitThatCannotBePreparedIsARollback() throws SQLException {
        enter();
        assertThatExceptionOfType(SQLException.class).isThrownBy(() -> execute(tx, "SELECT 1 / 0"));

        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.beforeCommit(() -> {}))
                .withMessageContaining("A statement of this transaction has failed");

        transaction.rolledBack();
        assertEndedOnceAs(State.ROLLED_BACK);
    }

    @Test
    void whatFailsWhileTheCallersSqlIsSentIsARollback() throws SQLException {
        enter();

        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.beforeCommit(() -> {
                    throw new IllegalStateException("flush");
                }));

        assertThat(transaction.state()).isEqualTo(State.ROLLING_BACK);
        transaction.rolledBack();
        assertEndedOnceAs(State.ROLLED_BACK);
    }

    @Test
    void aTransactionWithoutOperationsHasStatesToo() throws SQLException {
        transaction.beforeCommit(() -> {
            throw new IllegalStateException("there is nothing to flush");
        });
        assertThat(transaction.state()).isEqualTo(State.COMMITTING);
        transaction.committed();

        assertThat(transaction.state()).isEqualTo(State.COMMITTED);
        assertThat(ends).isEmpty();
    }

    /** Its statements are the caller's alone: whether one has failed, or was committed, is of no interest. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionWhoseOperationsWereAllRefusedEndsAsReported(boolean committed) throws SQLException {
        assertThat(enter(refused())).isEqualTo(Refusal.APPLIED);
        tx.commit();

        if (committed) {
            transaction.beforeCommit(() -> {
                throw new IllegalStateException("there is nothing to flush");
            });
            transaction.committed();
        } else {
            transaction.beforeRollback();
            transaction.rolledBack();
        }

        assertEndedOnceAs(committed ? State.COMMITTED : State.ROLLED_BACK);
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"ROLLING_BACK", "IN_DOUBT"})
    void aConnectionThatWasLostIsNoticedWhenTheTransactionEnds(State end) throws SQLException {
        assertThat(transaction.isBroken()).isFalse();
        enter();
        assertThat(transaction.isBroken()).isFalse();
        tx.close();

        bringTo(end);

        assertThat(transaction.isBroken()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"OPEN"},
            mode = EnumSource.Mode.EXCLUDE)
    void anOperationIsRefusedUnlessTheTransactionIsOpen(State state) throws SQLException {
        bringTo(state);

        assertThatIllegalStateException()
                .isThrownBy(this::enter)
                .withMessage("state=" + state + ": no operation can join the transaction any more");
        assertThat(transaction.size()).isZero();
    }

    @Test
    void anOperationAppliesOnceItsWorkHasReturnedWhileTheTransactionIsOpen() throws SQLException {
        Claim claim = claim();
        OperationId id = claim.id();
        enter(claim);
        assertThat(transaction.applies(id)).isFalse();
        transaction.returned(claim);
        assertThat(transaction.applies(id)).isTrue();

        transaction.beforeCommit(() -> {});

        assertThat(transaction.applies(id)).isFalse();
        assertThat(transaction.contains(id)).isTrue();
        assertThat(transaction.fingerprint(id)).isEqualTo(42);
        assertThat(transaction.fingerprint(claim().id())).isNull();
    }

    @Test
    void ofSeveralOperationsThoseThatAreNotRefusedAreEntered() throws SQLException {
        Claim entered = claim();
        Claim refused = refused();

        assertThat(transaction.enter(
                        List.of(new Entering(entered, null), new Entering(refused, null)),
                        new TransactionConnection(tx, null),
                        LostWork.CALLERS))
                .isEqualTo(Map.of(refused, Refusal.APPLIED));

        assertThat(transaction.contains(entered.id())).isTrue();
        assertThat(transaction.contains(refused.id())).isFalse();
    }

    @Test
    void operationsAfterAMarkAreTakenBack() throws SQLException {
        OperationId first = enter();
        OperationTransaction.Mark mark = transaction.mark();
        OperationId second = enter();

        transaction.backTo(mark);

        assertThat(transaction.contains(first)).isTrue();
        assertThat(transaction.contains(second)).isFalse();
        assertThat(transaction.size()).isEqualTo(1);
    }

    @Test
    void onlyATransactionInDoubtIsSettled() throws SQLException {
        Claim claim = claim();
        enter(claim);
        assertThat(transaction.awaitSettled(claim, new SQLException(), Duration.ZERO))
                .isNull();

        transaction.inDoubt();

        assertThat(transaction.awaitSettled(claim, new SQLException(), Duration.ZERO))
                .isEqualTo(Refusal.IN_DOUBT);
    }

    private OperationId enter() throws SQLException {
        Claim claim = claim();
        assertThat(enter(claim)).isNull();
        execute(tx, "SELECT 1");
        return claim.id();
    }

    private @Nullable Refusal enter(Claim claim) throws SQLException {
        return transaction
                .enter(List.of(new Entering(claim, 42L)), new TransactionConnection(tx, null), LostWork.CALLERS)
                .get(claim);
    }

    private static Claim claim() {
        return claims.increment("home", 1).claim();
    }

    /** Of an operation that another transaction has applied. */
    private Claim refused() {
        Claim claim = claim();
        refusals.put(claim, Refusal.APPLIED);
        return claim;
    }

    private void bringTo(State state) throws SQLException {
        switch (state) {
            case OPEN -> {}
            case COMMITTING -> transaction.beforeCommit(() -> {});
            case ROLLING_BACK -> transaction.beforeRollback();
            case COMMITTED -> transaction.committed();
            case ROLLED_BACK -> transaction.rolledBack();
            case IN_DOUBT -> transaction.inDoubt();
        }
    }

    private void assertEndedOnceAs(State state) {
        assertThat(transaction.state()).isEqualTo(state);
        assertThat(ends).containsExactly(state);
    }

    private final class RecordedEntries implements OperationTransaction.Entries {

        private int size;

        @Override
        public Map<Claim, Refusal> enter(List<Entering> operations, TransactionConnection connection, LostWork lost) {
            Map<Claim, Refusal> refused = new HashMap<>(refusals);
            refused.keySet().retainAll(operations.stream().map(Entering::claim).toList());
            size += operations.size() - refused.size();
            return refused;
        }

        @Override
        public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
            return null;
        }

        @Override
        public int size() {
            return size;
        }

        @Override
        public boolean undoAfter(int count) {
            size = count;
            return false;
        }

        @Override
        public State prepare(TransactionConnection connection) {
            calls.add("prepare");
            return State.COMMITTING;
        }

        @Override
        public void ended(State end) {
            ends.add(end);
        }

        @Override
        public @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout) {
            return Refusal.IN_DOUBT;
        }
    }
}
