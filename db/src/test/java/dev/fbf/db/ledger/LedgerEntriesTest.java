package dev.fbf.db.ledger;

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
import dev.fbf.db.Arbiter;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.StrangeConnections;
import dev.fbf.db.connection.TransactionConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations of a transaction in ledger mode, including those that another node has applied or is applying. */
class LedgerEntriesTest {

    private static final Duration LONG = Duration.ofSeconds(10);

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private LedgerArbiter arbiter;
    private Node node;
    private ScopeClaims claims;

    @BeforeEach
    void open(@TempDir Path directory) {
        arbiter = arbiter();
        arbiter.awaitRecovered(LONG);
        node = Node.open(directory, 4, Durability.PROCESS, AfterPowerFailure.WARN);
        claims = node.scope("scope", new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan());
    }

    private static LedgerArbiter arbiter() {
        return new LedgerArbiter(
                StrangeConnections.dataSource(database::connect),
                FbfDatabase.TABLES,
                new Arbiter.Lookup() {
                    @Override
                    public <T> T ask(Arbiter.Question<T> question) {
                        throw new UnsupportedOperationException();
                    }
                },
                0);
    }

    @AfterEach
    void close() {
        node.close();
        arbiter.close();
    }

    /** A transaction in a guarded call. */
    private static final class Call {

        private final Connection tx;
        private final TransactionConnection connection;
        private final OperationTransaction transaction;

        Call(LedgerArbiter arbiter, Connection tx) throws SQLException {
            this.tx = tx;
            transaction = new OperationTransaction(arbiter::newEntries);
            tx.setAutoCommit(false);
            connection = new TransactionConnection(tx, Connection.class);
        }

        @Nullable Refusal enter(Claim claim, LostWork lost) throws SQLException {
            Refusal refusal = transaction.enter(claim, null, connection, lost);
            if (refusal == Refusal.IN_PROGRESS) {
                claim.free();
            }
            return refusal;
        }

        void execute() throws SQLException {
            try (var statement = connection.forCaller().prepareStatement("SELECT 1")) {
                statement.execute();
            }
        }

        void commit() throws SQLException {
            transaction.beforeCommit(() -> {});
            tx.commit();
            transaction.committed();
        }

        void rollback() throws SQLException {
            transaction.beforeRollback();
            tx.rollback();
            transaction.rolledBack();
        }
    }

    private Call call() throws SQLException {
        return new Call(arbiter, database.connect());
    }

    private static OperationId id(String key) {
        return OperationId.of("scope", "", key);
    }

    private Claim claim(String key) {
        return (Claim) claims.admit(id(key));
    }

    private static void applyElsewhere(String... keys) throws SQLException {
        Connection elsewhere = database.begin();
        for (String key : keys) {
            assertThat(TestLedger.LEDGER.insert(elsewhere, id(key).toUuid(), null, Duration.ofHours(1)))
                    .isNull();
        }
        elsewhere.commit();
    }

    @ParameterizedTest
    @EnumSource(
            value = LostWork.class,
            names = {"CALLERS", "CALL"})
    void anAppliedOperationFailsNoStatement(LostWork lost) throws SQLException {
        applyElsewhere("a");
        Call call = call();

        assertThat(call.enter(claim("a"), lost)).isEqualTo(Refusal.APPLIED);

        assertThat(call.connection.canCommit()).isTrue();
        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void anAppliedOperationOnAServerThatIsNotTrustedYetIsFoundOnceItIs() throws SQLException {
        applyElsewhere("a");
        try (LedgerArbiter untrusted = arbiter()) {
            Call call = new Call(untrusted, database.connect());
            Claim claim = claim("a");
            assertThat(call.transaction.enter(claim, null, call.connection, LostWork.CALL))
                    .isEqualTo(Refusal.IN_PROGRESS);
            call.rollback();

            assertThat(call.transaction.failedEntry(claim, LONG)).isEqualTo(Refusal.APPLIED);

            assertThat(claims.admit(id("a"))).isEqualTo(Refusal.APPLIED);
        }
    }

    @Test
    void anOperationThatAnotherNodeIsApplyingIsInProgressUntilItsTransactionEnds() throws SQLException {
        Connection elsewhere = database.begin();
        TestLedger.LEDGER.insert(elsewhere, id("a").toUuid(), null, Duration.ofHours(1));
        Call call = call();

        assertThat(call.enter(claim("a"), LostWork.CALL)).isEqualTo(Refusal.IN_PROGRESS);
        assertThat(call.connection.canCommit()).isTrue();
        elsewhere.rollback();

        assertThat(call.enter(claim("a"), LostWork.CALL)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void anOperationThatWasAppliedSinceTheTransactionBeganIsInProgressAndItsRetryFindsOut(String isolation)
            throws SQLException {
        Call call = new Call(arbiter, database.connect(isolation));
        call.execute(); // takes the snapshot
        applyElsewhere("a");

        assertThat(call.enter(claim("a"), LostWork.CALL)).isEqualTo(Refusal.IN_PROGRESS);

        call.rollback();
        assertThat(call().enter(claim("a"), LostWork.CALL)).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void requestsAreComparedWhereTheFingerprintsOfBothAreKnown() {
        assertThat(recognizes(new Arbiter.Applied(42L, null, false), 42)).isTrue();
        assertThat(recognizes(new Arbiter.Applied(42L, null, false), 43)).isFalse();
        assertThat(recognizes(Arbiter.Applied.NO_DETAILS, 43)).isTrue();
        assertThat(recognizes(null, 43)).isTrue();
    }

    private boolean recognizes(Arbiter.@Nullable Applied applied, long fingerprint) {
        return arbiter.recognizes(id("a"), applied, fingerprint, claims.filter());
    }

    @ParameterizedTest
    @EnumSource(LostWork.class)
    void anOperationIsAppliedByTheCommitAndNewAfterARollback(LostWork lost) throws SQLException {
        Call committed = call();
        assertThat(committed.enter(claim("a"), lost)).isNull();
        committed.execute();
        committed.commit();
        Call rolledBack = call();
        assertThat(rolledBack.enter(claim("b"), lost)).isNull();
        rolledBack.execute();
        rolledBack.rollback();

        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.APPLIED);
        assertThat(arbiter.wasApplied(id("a"), LONG)).isTrue();
        assertThat(claims.admit(id("b"))).isInstanceOf(Claim.class);
        assertThat(arbiter.wasApplied(id("b"), LONG)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereTheFirstStatementFailsTheLedgerTellsWhetherTheOperationIsApplied(boolean applied) throws SQLException {
        Connection elsewhere = database.begin();
        TestLedger.LEDGER.insert(elsewhere, id("a").toUuid(), null, Duration.ofHours(1));
        if (applied) {
            elsewhere.commit();
        }
        Call call = call();
        Claim claim = claim("a");
        assertThat(call.enter(claim, LostWork.CALL_WITHOUT_TRACE)).isNull();
        assertThat(call.transaction.failedEntry(claim, LONG)).isNull();
        assertThatExceptionOfType(SQLException.class).isThrownBy(call::execute);
        call.rollback();
        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.IN_PROGRESS);

        assertThat(call.transaction.failedEntry(claim, LONG))
                .isEqualTo(applied ? Refusal.APPLIED : Refusal.IN_PROGRESS);

        Admission next = claims.admit(id("a"));
        assertThat(next == Refusal.APPLIED).isEqualTo(applied);
        assertThat(next instanceof Claim).as("free").isEqualTo(!applied);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOperationThatWaitsForTheFirstStatementIsEnteredBeforeTheNextOperation(boolean batch) throws SQLException {
        Call call = call();
        call.enter(claim("a"), LostWork.CALL_WITHOUT_TRACE);
        assertThat(call.connection.isWaiting()).isTrue();

        if (batch) {
            call.transaction.enterAll(List.of(claim("b")), call.connection, LostWork.CALLERS);
        } else {
            call.enter(claim("b"), LostWork.CALLERS);
        }

        assertThat(call.connection.isWaiting()).isFalse();
    }

    @Test
    void anOperationWhoseRowASavepointTakesBackIsEnteredAgain() throws SQLException {
        Call call = call();
        call.enter(claim("a"), LostWork.CALL_WITHOUT_TRACE);
        OperationTransaction.Mark mark = call.transaction.mark();
        Savepoint savepoint = call.tx.setSavepoint();
        call.execute();

        call.tx.rollback(savepoint);
        call.transaction.backTo(mark);
        call.commit();

        assertThat(claims.admit(id("a"))).isEqualTo(Refusal.APPLIED);
        assertThat(arbiter.wasApplied(id("a"), LONG)).isTrue();
    }

    @Test
    void whatASavepointTakesBackIsNewAndIsNotSent() throws SQLException {
        Call call = call();
        call.enter(claim("a"), LostWork.CALL_WITHOUT_TRACE);
        call.transaction.backTo(new OperationTransaction.Mark(0, false));
        assertThat(call.connection.isWaiting()).isFalse();
        call.enter(claim("b"), LostWork.CALLERS);
        OperationTransaction.Mark mark = call.transaction.mark();
        Savepoint savepoint = call.tx.setSavepoint();
        call.enter(claim("c"), LostWork.CALLERS);

        call.tx.rollback(savepoint);
        call.transaction.backTo(mark);

        assertThat(claims.admit(id("a"))).isInstanceOf(Claim.class);
        assertThat(claims.admit(id("b"))).isEqualTo(Refusal.IN_PROGRESS);
        assertThat(claims.admit(id("c"))).isInstanceOf(Claim.class);
        call.commit();
        assertThat(claims.admit(id("b"))).isEqualTo(Refusal.APPLIED);
    }

    @Test
    void aTransactionInDoubtIsSettledByItsRow() throws SQLException {
        Call call = call();
        Claim claim = claim("a");
        call.enter(claim, LostWork.CALL);
        call.transaction.inDoubt();
        assertThat(call.transaction.awaitSettled(claim, Duration.ofMillis(1))).isEqualTo(Refusal.IN_DOUBT);

        call.tx.rollback();

        assertThat(call.transaction.awaitSettled(claim, LONG)).isNull();
        assertThat(call.transaction.awaitSettled(claim("other"), LONG)).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchEntersItsNewOperationsAndStaysInDoubtUntilTheirRowsAreThere(boolean trusted) throws SQLException {
        applyElsewhere("old");
        Claim old = claim("old");
        Claim fresh = claim("new");
        try (LedgerArbiter its = arbiter()) {
            if (trusted) {
                its.awaitRecovered(LONG);
            }
            Call call = new Call(its, database.connect());

            assertThat(call.transaction.enterAll(List.of(old, fresh), call.connection, LostWork.CALLERS))
                    .isEqualTo(Map.of(old, trusted ? Refusal.APPLIED : Refusal.IN_PROGRESS));

            assertThat(old.isHeld()).isEqualTo(!trusted);
            assertThat(call.transaction.contains(old.id())).isFalse();
            assertThat(call.transaction.contains(fresh.id())).isTrue();
            call.transaction.inDoubt();
            assertThat(call.transaction.awaitSettled(fresh, LONG)).isEqualTo(Refusal.IN_DOUBT);
            call.tx.commit();
            assertThat(call.transaction.awaitSettled(fresh, LONG)).isEqualTo(Refusal.APPLIED);
        }
    }
}
