package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.AfterPowerFailure;
import dev.fbf.core.witness.Node;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.connection.TransactionConnection;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** What Spring tells of a thread's transactions, and what it does not. */
class TransactionsOfAThreadTest {

    private final OperationTransaction.Entries entries = mock();
    private final GuardedTransactions transactions = new GuardedTransactions(1, null);

    @Test
    void oneThatEndedUntoldIsInDoubtWhenTheNextBegins(@TempDir Path directory) throws SQLException {
        transactions.newEntries = () -> entries;
        SimpleTransactionStatus untold = begin();
        try (Node node = Node.open(directory, 1, AfterPowerFailure.WARN)) {
            ScopeClaims claims = node.scope("scope", FilterSizing.DEFAULT.plan());
            requireNonNull(transactions.current())
                    .enter(
                            List.of(new OperationTransaction.Entering(
                                    (Claim) claims.admit(OperationId.of("scope", "", "key")), null)),
                            new TransactionConnection(mock(Connection.class)),
                            OperationTransaction.LostWork.CALL);
        }
        untold.setCompleted();

        SimpleTransactionStatus next = begin();

        verify(entries).ended(OperationTransaction.State.IN_DOUBT);
        transactions.afterCommit(next, null);
        assertThat(transactions.current()).isNull();
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
}
