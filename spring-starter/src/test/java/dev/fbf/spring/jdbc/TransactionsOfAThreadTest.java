package dev.fbf.spring.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.AfterPowerFailure;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Durability;
import dev.fbf.core.claim.Node;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.connection.TransactionConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** What Spring tells of a thread's transactions, and what it does not. */
class TransactionsOfAThreadTest {

    private final OperationTransaction.Entries entries = mock();
    private final GuardedTransactions transactions = new GuardedTransactions(1);

    @BeforeEach
    void openDatabase() {
        transactions.newEntries = () -> entries;
    }

    @Test
    void theLatestIsTheCurrentOneUntilItEnds() {
        SimpleTransactionStatus outer = begin();
        GuardedTransaction current = transactions.current();
        SimpleTransactionStatus inner = begin();
        assertThat(transactions.current()).isNotSameAs(current);

        transactions.afterRollback(inner, null);
        assertThat(transactions.current()).isSameAs(current);

        transactions.afterCommit(outer, null);
        assertThat(transactions.current()).isNull();
    }

    @Test
    void oneThatEndedUntoldIsInDoubtWhenTheNextBegins(@TempDir Path directory) throws SQLException {
        SimpleTransactionStatus untold = begin();
        enter(directory);
        untold.setCompleted();

        SimpleTransactionStatus next = begin();

        verify(entries).ended(OperationTransaction.State.IN_DOUBT);
        transactions.afterCommit(next, null);
        assertThat(transactions.current()).isNull();
    }

    @Test
    void oneWhoseThreadHasEndedIsInDoubtWhenSomebodyLooks(@TempDir Path directory) throws Exception {
        Thread thread = new Thread(() -> {
            begin();
            try {
                enter(directory);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        thread.join();
        assertThat(transactions.withOperations).hasSize(1);

        assertThat(transactions.endAbandoned()).isTrue();

        verify(entries).ended(OperationTransaction.State.IN_DOUBT);
        assertThat(transactions.withOperations).isEmpty();
        assertThat(transactions.endAbandoned()).isFalse();
    }

    @Test
    void oneThatIsOpenIsNotAbandoned(@TempDir Path directory) throws Exception {
        SimpleTransactionStatus open = begin();
        enter(directory);

        assertThat(transactions.endAbandoned()).isFalse();

        transactions.beforeCommit(open);
        transactions.afterCommit(open, null);
        verify(entries).ended(OperationTransaction.State.COMMITTED);
    }

    private SimpleTransactionStatus begin() {
        SimpleTransactionStatus transaction = new SimpleTransactionStatus() {
            @Override
            public boolean isReadOnly() {
                return false;
            }
        };
        transactions.afterBegin(transaction, null);
        return transaction;
    }

    private void enter(Path directory) throws SQLException {
        try (Node node = Node.open(directory, 1, Durability.PROCESS, AfterPowerFailure.WARN)) {
            ScopeClaims guard = node.scope("scope", FilterSizing.DEFAULT.plan());
            Claim claim = (Claim) guard.admit(OperationId.of("scope", "", "key"));
            requireNonNull(transactions.current())
                    .enter(
                            claim,
                            null,
                            new TransactionConnection(mock(Connection.class), null),
                            OperationTransaction.Scope.CALL);
        }
    }
}
