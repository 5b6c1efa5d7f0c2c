package dev.fbf.db.ledger;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.CommitInDoubtException;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.OperationTransaction.UncommittableException;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.dialect.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operations of a transaction, each with a row in the ledger. */
final class LedgerEntries implements OperationTransaction.Entries {

    /*
     * Claims are freed whatever the outcome. Once a COMMIT in doubt has taken effect, a retry finds the row. Until the transaction has
     * ended, its lock refuses the retry, or the retry waits for its row.
     */
    private final LedgerStore store;
    private final List<Claim> claims = new ArrayList<>();

    /** The operation whose row is the last statement of the transaction; null if there is none, or once it is sent. */
    private @Nullable Claim last;

    /** The operation that was entered last, whether its row was sent or not: the ledger is asked before a failure is reported. */
    private @Nullable Claim lastEntered;

    /** The latest operation that another transaction has entered, or is entering; null if there is none. */
    private @Nullable Claim refused;

    /** The reason, unless the ledger has the operation; null if there is none. */
    private @Nullable Refusal refusal;

    /** The id of the transaction; null before the first row is inserted. */
    private @Nullable String transaction;

    LedgerEntries(LedgerStore store) {
        this.store = store;
    }

    @Override
    public Map<Claim, Refusal> enter(List<Claim> entering, TransactionConnection connection, LostWork lost) {
        Map<Claim, Refusal> refusals = new HashMap<>();
        insert(entering, connection.connection(), lost).forEach((claim, entry) -> {
            if (entry.transaction() != null) {
                requireSame(entry.transaction());
            }
            if (entry.refusal() == null) {
                claims.add(claim);
                return;
            }
            if (entry.refusal() == Refusal.APPLIED) {
                claim.applied(); // add it to this process's recent operations
            } else if (entering.size() == 1) {
                refused = claim;
                refusal = entry.refusal();
            }
            refusals.put(claim, entry.refusal());
        });
        return refusals;
    }

    /** Inserts the rows of operations; that of an operation alone perhaps later, with COMMIT. */
    private Map<Claim, Ledger.Entry> insert(List<Claim> entering, Connection connection, LostWork lost) {
        Claim first = entering.get(0);
        boolean alone = lost != LostWork.CALLERS;
        try {
            Ledger ledger = store.ledger(connection);
            if (entering.size() > 1) {
                return ledger.insertAll(connection, entering, transaction);
            }
            if (lost == LostWork.CALL_WITHOUT_TRACE && ledger.entersLast()) {
                last = first;
                lastEntered = first;
                return Map.of(first, new Ledger.Entry(null, null));
            }
            return Map.of(first, ledger.insert(connection, first, transaction, alone));
        } catch (SQLException e) {
            if (entering.size() > 1 || !alone || !SqlFailures.isOfOthers(e)) {
                throw store.failed(e);
            }
            // under SERIALIZABLE, perhaps because of the same operation
            return Map.of(first, new Ledger.Entry(Refusal.CONFLICT, null));
        }
    }

    /** Checks that the caller has not ended the transaction of the earlier operations. */
    private void requireSame(String current) {
        if (transaction != null && !transaction.equals(current)) {
            throw new IllegalStateException("transaction=" + current + ", before " + transaction
                    + ": this transaction was ended on its connection, so no operation can join it any more. Leave"
                    + " COMMIT and rollback to the transaction manager, or call the guarded method in a new"
                    + " transaction (Propagation.REQUIRES_NEW).");
        }
        transaction = current;
    }

    /** Asks the ledger. If the row's transaction has rolled back since, a retry finds the operation new. */
    @Override
    public @Nullable Refusal failedEntry(Claim claim) {
        if (claim != refused && claim != lastEntered) {
            return null;
        }
        if (store.find(claim.id(), null) != null) {
            return Refusal.APPLIED;
        }
        return claim == refused ? refusal : null;
    }

    @Override
    public int size() {
        return claims.size();
    }

    @Override
    public boolean isRecorded(OperationId id, TransactionConnection connection) throws SQLException {
        Connection its = connection.connection();
        if ((last != null && last.id().equals(id)) || store.ledger(its).exists(its, id.toUuid())) {
            return true;
        }
        claims.stream().filter(claim -> claim.id().equals(id)).forEach(Claim::free);
        claims.removeIf(claim -> claim.id().equals(id));
        return false;
    }

    @Override
    public void undoAfter(int count) {
        List<Claim> latest = claims.subList(Math.min(count, claims.size()), claims.size());
        if (last != null && latest.contains(last)) {
            last = null;
        }
        latest.forEach(Claim::free); // the savepoint undoes their rows
        latest.clear();
    }

    /** Sends COMMIT, if the manager has nothing else to do, together with the last row, or with a check of the transaction. */
    @Override
    public State prepare(TransactionConnection its, boolean isLast) throws SQLException {
        Connection connection = its.connection();
        Ledger ledger = store.ledger(connection);
        boolean commits = store.sendsCommit && isLast && ledger.entersLast();
        boolean isIntact;
        try {
            isIntact = ledger.finish(connection, claims.get(0).id().toUuid(), transaction, last, commits);
        } catch (SQLException e) {
            throw failedCommit(e, ledger, connection, commits);
        }
        if (!isIntact) {
            throw new UncommittableException(
                    "This transaction was ended on its connection, by Connection.rollback(), a COMMIT or a deadlock. The"
                            + " changes made since are rolled back, because they would be committed without its operation."
                            + " Throw an exception instead of calling Connection.rollback(), leave COMMIT to the transaction"
                            + " manager, or use a savepoint (Propagation.NESTED) for statements that may fail.");
        }
        last = null;
        return commits ? State.COMMITTED : State.COMMITTING;
    }

    /** Returns the exception of a COMMIT that the server has refused; throws if it was sent and got no response. */
    private SQLException failedCommit(SQLException e, Ledger ledger, Connection connection, boolean commits)
            throws SQLException {
        if (commits && !SqlFailures.isSure(e, connection)) {
            throw new CommitInDoubtException(e);
        }
        refused = SqlFailures.isOfRowIn("fbf_ledger", e) ? last : null;
        refusal = Refusal.IN_PROGRESS;
        if (!ledger.entersLast() || (last != null && !SqlFailures.isOfData(e))) {
            throw store.failed(e);
        }
        return e; // of the operation's row, or of the caller's transaction, such as a deferred constraint
    }

    @Override
    public void ended(State end) {
        if (end == State.COMMITTED) {
            claims.forEach(Claim::applied);
        } else {
            claims.forEach(Claim::free);
        }
        if (end == State.IN_DOUBT) {
            lastEntered = null; // the next attempt asks
        }
    }

    /**
     * Returns {@link Refusal#IN_DOUBT} without a wait, unless the failure is not the database's, or the server has reported it: the next
     * attempt finds the outcome.
     */
    @Override
    public @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout) {
        boolean isKnown = SqlFailures.in(failure) == null || SqlFailures.isReported(failure);
        return isKnown || !claims.contains(claim) ? null : Refusal.IN_DOUBT;
    }
}
