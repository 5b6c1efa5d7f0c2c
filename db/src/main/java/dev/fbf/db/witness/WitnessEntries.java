package dev.fbf.db.witness;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.CommitInDoubtException;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one transaction, which share a slot's row in the witness. The row has the transaction's token if, and only if, the
 * transaction committed.
 */
final class WitnessEntries implements OperationTransaction.Entries {

    /*
     * Until COMMIT the claims are in memory only. If the process dies, its connection does too, and the transaction rolls back: the
     * operations are new, as the next process finds them. The records are in the file before the row's update is sent, which is the
     * transaction's last statement, in one message with COMMIT. The order of the update and the caller's SQL does not matter, because both
     * commit together or not at all.
     */
    private final WitnessStore store;

    /** The claims without a record. */
    private final List<Claim> held = new ArrayList<>();

    /** Null while the claims are held. */
    private @Nullable WitnessedTransaction transaction;

    /** Whether the row has another token: then the transaction can only roll back. */
    private boolean mismatched;

    WitnessEntries(WitnessStore store) {
        this.store = store;
    }

    @Override
    public Map<Claim, Refusal> enter(List<Claim> claims, TransactionConnection connection, LostWork lost) {
        held.addAll(claims);
        return Map.of();
    }

    @Override
    public @Nullable Refusal failedEntry(Claim claim) {
        return mismatched ? Refusal.RECOVERING : null;
    }

    @Override
    public int size() {
        return held.size() + (transaction == null ? 0 : transaction.size());
    }

    @Override
    public void undoAfter(int count) {
        free(held.subList(Math.min(count, held.size()), held.size()));
    }

    private static void free(List<Claim> claims) {
        claims.forEach(Claim::free);
        claims.clear();
    }

    @Override
    public State prepare(TransactionConnection connection, boolean isLast) throws SQLException {
        boolean commits = store.sendsCommit && isLast;
        WitnessedTransaction recorded = record();
        recorded.beforeCommit();
        try {
            store.table.turn(connection.connection(), recorded.slot(), recorded.previous(), recorded.next(), commits);
        } catch (SQLException e) {
            if (WitnessTable.isMismatch(e)) {
                mismatched = true;
                SQLException conflict = new SQLTransactionRollbackException(
                        "fbf could not record the operation in fbf_witness, so its transaction must roll back. Retry"
                                + " the whole transaction.",
                        "40001");
                conflict.addSuppressed(e);
                throw conflict;
            }
            if (commits && !SqlFailures.isSure(e, connection.connection())) {
                throw new CommitInDoubtException(e);
            }
            if (SqlFailures.isOfOthers(e) || SqlFailures.isOfData(e)) {
                throw e; // perhaps of the caller's transaction, such as a deferred constraint
            }
            throw store.failed(e);
        }
        return commits ? State.COMMITTED : State.COMMITTING;
    }

    /** Records the claims, so that they survive this process. */
    private WitnessedTransaction record() {
        WitnessedTransaction begun = store.database.transaction(held.remove(0));
        transaction = begun;
        while (!held.isEmpty()) {
            begun.add(held.remove(0));
        }
        return begun;
    }

    @Override
    public void ended(State end) {
        free(held);
        if (transaction == null) {
            return;
        }
        if (mismatched) {
            transaction.mismatched();
        } else if (end == State.COMMITTED) {
            transaction.committed();
        } else if (end == State.IN_DOUBT) {
            transaction.inDoubt();
        } else {
            transaction.rolledBack();
        }
    }

    @Override
    public @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout) {
        return transaction == null || mismatched ? null : WitnessStore.awaitSettled(transaction, timeout);
    }
}
