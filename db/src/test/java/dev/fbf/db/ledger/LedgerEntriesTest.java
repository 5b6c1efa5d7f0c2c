package dev.fbf.db.ledger;

import static dev.fbf.db.FbfDatabase.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfDatabase;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.StoreException;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.ledger.TestLedger.Store;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations of a transaction in ledger mode, including those that another node has applied or is applying. */
@Timeout(60)
class LedgerEntriesTest {

    private static final Duration LONG = Duration.ofSeconds(10);
    private final Exception failure = new SQLException("lost", "08006");

    @RegisterExtension
    static final FbfDatabase database = new FbfDatabase();

    private Store store;
    private Claims claims;

    @BeforeEach
    void open() {
        store = Store.of(database::connect, false, 0);
        claims = new Claims(4, store.recent()::put);
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** A transaction in a guarded call. */
    private static final class Call {

        private final Connection tx;
        private final TransactionConnection connection;
        private final OperationTransaction transaction;

        Call(Store store, Connection tx) throws SQLException {
            this.tx = tx;
            transaction = new OperationTransaction(store.store()::newEntries);
            tx.setAutoCommit(false);
            connection = new TransactionConnection(tx);
        }

        @Nullable Refusal enter(Claim claim, LostWork lost) throws SQLException {
            return transaction.enter(List.of(claim), connection, lost).get(claim);
        }

        void commit() throws SQLException {
            transaction.beforeCommit(() -> {}, true);
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
        return new Call(store, database.connect());
    }

    private static OperationId id(String key) {
        return OperationId.of("scope", "", key);
    }

    private Claim claim(String key) {
        return (Claim) claims.take(id(key), "scope", LONG, null);
    }

    private boolean isFree(String key) {
        if (claims.take(id(key), "scope", LONG, null) instanceof Claim claim) {
            claim.free();
            return true;
        }
        return false;
    }

    private boolean isRemembered(String key) {
        return store.recent().mightContain(id(key));
    }

    private static boolean isInLedger(String key) throws SQLException {
        return TestLedger.LEDGER.exists(database.connect(), id(key).toUuid());
    }

    private static void applyElsewhere(String... keys) throws SQLException {
        Connection elsewhere = database.begin();
        for (String key : keys) {
            TestLedger.enter(elsewhere, id(key).toUuid());
        }
        elsewhere.commit();
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void theLedgerDecidesAfterTheRollbackOnAnOperationThatWasAppliedSinceTheTransactionBegan(String isolation)
            throws SQLException {
        Call call = new Call(store, database.connect(isolation));
        query(call.tx, "SELECT count(*) FROM fbf_ledger"); // takes the snapshot
        applyElsewhere("a");
        Claim claim = claim("a");
        assertThat(call.enter(claim, LostWork.CALL)).isEqualTo(Refusal.IN_PROGRESS);

        call.rollback();

        assertThat(call.transaction.failedEntry(claim)).isEqualTo(Refusal.APPLIED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void inACallersTransactionThatIsAConflict(String isolation) throws SQLException {
        Call call = new Call(store, database.connect(isolation));
        query(call.tx, "SELECT count(*) FROM fbf_ledger"); // takes the snapshot
        applyElsewhere("a");

        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> call.enter(claim("a"), LostWork.CALLERS))
                .withMessageContaining("could not serialize access")
                .satisfies(e -> assertThat(e.refusal()).isEqualTo(Refusal.CONFLICT));
        assertThat(store.failures()).isEmpty();
    }

    @Test
    void aCommitOfTheManagersOwnIsInDoubtUnlessTheServerReportsTheFailure() throws SQLException {
        store = Store.of(database::connect, false, 0, false); // as with JPA
        Call call = call();
        Claim claim = claim("a");
        call.enter(claim, LostWork.CALL);
        call.transaction.beforeCommit(() -> {}, true);
        call.transaction.inDoubt();

        assertThat(call.transaction.awaitSettled(claim, failure, LONG)).isEqualTo(Refusal.IN_DOUBT);
        assertThat(call.transaction.awaitSettled(
                        claim, new IllegalStateException(new SQLException("at the end", "23503")), LONG))
                .isNull();
        assertThat(call.transaction.awaitSettled(claim("other"), failure, LONG)).isNull();
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void anOperationThatTheCallersOwnSavepointTakesBackIsNew() throws SQLException {
        Call call = call();
        Savepoint savepoint = call.tx.setSavepoint();
        Claim claim = claim("a");
        call.enter(claim, LostWork.CALLERS);
        call.transaction.returned(claim);
        assertThat(call.transaction.stillApplies(id("a"))).isTrue();
        call.tx.rollback(savepoint);

        assertThat(call.transaction.stillApplies(id("a"))).isFalse();

        assertThat(isFree("a")).isTrue();
        assertThat(call.enter(claim("a"), LostWork.CALLERS)).isNull();
        call.commit();
        assertThat(isInLedger("a") && isRemembered("a")).isTrue();
    }
}
