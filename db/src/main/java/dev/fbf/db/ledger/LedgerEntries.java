package dev.fbf.db.ledger;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.CommitInDoubtException;
import dev.fbf.db.OperationTransaction.Entering;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.OperationTransaction.State;
import dev.fbf.db.OperationTransaction.UncommittableException;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.Ledger.LastStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Operations of a transaction, each with a row in the ledger. */
final class LedgerEntries implements OperationTransaction.Entries {

    /*
     * Claims are freed whatever the outcome. Once a COMMIT in doubt has taken effect, a retry finds the row. Until the transaction has
     * ended, its lock refuses the retry, or the retry waits for its row.
     */
    private static final String UNDONE =
            "The changes made since are rolled back, because they would be committed without its operation.";

    private final LedgerStore store;
    private final List<Claim> claims = new ArrayList<>();

    /** The operation whose row is the last statement of the transaction; null if there is none, or once it is sent. */
    private @Nullable Last last;

    private record Last(Claim claim, @Nullable Long fingerprint) {}

    /** The operation that was entered last, whether its row was sent or not: the ledger is asked before a failure is reported. */
    private @Nullable Claim lastEntered;

    /** The latest operation that another transaction has entered, or is entering; null if there is none. */
    private @Nullable Refused refused;

    /** @param refusal the reason, unless the ledger has the operation */
    private record Refused(Claim claim, Refusal refusal) {}

    /** The id of the transaction; null before the first row is inserted. */
    private @Nullable String transaction;

    LedgerEntries(LedgerStore store) {
        this.store = store;
    }

    @Override
    public Map<Claim, Refusal> enter(List<Entering> operations, TransactionConnection connection, LostWork lost) {
        if (operations.size() > 1) {
            return insertAll(operations, connection.connection());
        }
        Entering operation = operations.get(0);
        Refusal refusal = enter(operation.claim(), operation.fingerprint(), connection.connection(), lost);
        return refusal == null ? Map.of() : Map.of(operation.claim(), refusal);
    }

    private @Nullable Refusal enter(Claim claim, @Nullable Long fingerprint, Connection connection, LostWork lost) {
        boolean alone = lost != LostWork.CALLERS;
        Refusal refusal;
        try {
            Ledger ledger = store.ledger(connection);
            if (lost == LostWork.CALL_WITHOUT_TRACE && ledger.lastStatement() != null) {
                last = new Last(claim, fingerprint);
                lastEntered = claim;
                claims.add(claim);
                return null;
            }
            Ledger.Entry entry = ledger.insert(
                    connection, claim.id().toUuid(), fingerprint, claim.retryWindow(), transaction, alone);
            if (entry.transaction() != null) {
                requireSame(entry.transaction());
            }
            refusal = entry.refusal();
        } catch (SQLException e) {
            if (!alone || !SqlFailures.isOfOthers(e)) {
                throw store.failed(e);
            }
            refusal = Refusal.CONFLICT; // under SERIALIZABLE, perhaps because of the same operation
        }
        if (refusal == null) {
            claims.add(claim);
        } else if (refusal == Refusal.APPLIED) {
            claim.applied(); // add it to this process's recent operations
        } else {
            refused = new Refused(claim, refusal);
        }
        return refusal;
    }

    /** Checks that the caller has not ended the transaction of the earlier operations. */
    private void requireSame(String current) {
        if (transaction != null && !transaction.equals(current)) {
            throw new IllegalStateException("transaction=" + current + ", before " + transaction
                    + ": this transaction was ended on its connection, so no operation can join it any more. Leave COMMIT"
                    + " and rollback to the transaction manager, or call the guarded method in a new transaction"
                    + " (Propagation.REQUIRES_NEW).");
        }
        transaction = current;
    }

    /** Inserts the rows of several operations, without the fingerprints of their requests. */
    private Map<Claim, Refusal> insertAll(List<Entering> operations, Connection connection) {
        Map<UUID, Claim> byId = new LinkedHashMap<>();
        Duration retention = Duration.ZERO;
        for (Entering operation : operations) {
            Claim claim = operation.claim();
            byId.put(claim.id().toUuid(), claim);
            retention = retention.compareTo(claim.retryWindow()) > 0 ? retention : claim.retryWindow();
        }
        Map<UUID, Ledger.Entry> entries;
        try {
            entries = store.ledger(connection).insertAll(connection, byId.keySet(), retention, transaction);
        } catch (SQLException e) {
            throw store.failed(e);
        }
        Map<Claim, Refusal> refused = new HashMap<>();
        entries.forEach((id, entry) -> {
            Claim claim = requireNonNull(byId.get(id));
            if (entry.transaction() != null) {
                requireSame(entry.transaction());
            }
            if (entry.refusal() == null) {
                claims.add(claim);
                return;
            }
            if (entry.refusal() == Refusal.APPLIED) {
                claim.applied();
            }
            refused.put(claim, entry.refusal());
        });
        return refused;
    }

    /** Asks the ledger. If the row's transaction has rolled back since, a retry finds the operation new. */
    @Override
    public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
        Refused its = refused != null && refused.claim == claim ? refused : null;
        if (its == null && claim != lastEntered) {
            return null;
        }
        if (store.find(claim.id()) != null) {
            return Refusal.APPLIED;
        }
        return its == null ? null : its.refusal;
    }

    @Override
    public int size() {
        return claims.size();
    }

    @Override
    public boolean isRecorded(OperationId id, TransactionConnection connection) throws SQLException {
        if ((last != null && last.claim.id().equals(id)) || exists(connection.connection(), id)) {
            return true;
        }
        claims.stream().filter(claim -> claim.id().equals(id)).forEach(Claim::free);
        claims.removeIf(claim -> claim.id().equals(id));
        return false;
    }

    private boolean exists(Connection connection, OperationId id) throws SQLException {
        return store.ledger(connection).exists(connection, id.toUuid());
    }

    @Override
    public void undoAfter(int count) {
        List<Claim> latest = claims.subList(Math.min(count, claims.size()), claims.size());
        if (last != null && latest.contains(last.claim)) {
            last = null;
        }
        latest.forEach(Claim::free); // the savepoint undoes their rows
        latest.clear();
    }

    /** Sends COMMIT, if the manager has nothing else to do, together with the last row, or with a check of the transaction. */
    @Override
    public State prepare(TransactionConnection connection, boolean isLast) throws SQLException {
        Ledger ledger = store.ledger(connection.connection());
        LastStatement sender = ledger.lastStatement();
        boolean commits = store.sendsCommit && isLast && (sender != null || ledger.commitsIntact());
        try {
            if (sender == null) {
                requireIntact(ledger, connection.connection(), commits, UNDONE);
            } else if (last != null) {
                sender.insertLast(
                        connection.connection(),
                        last.claim.id().toUuid(),
                        last.fingerprint,
                        last.claim.retryWindow(),
                        commits);
            } else if (commits && !sender.commit(connection.connection(), requireNonNull(transaction))) {
                requireIntact(ledger, connection.connection(), false, "Its operation is not applied.");
            }
        } catch (SQLException e) {
            throw failedCommit(e, sender, connection.connection(), commits);
        }
        last = null;
        return commits ? State.COMMITTED : State.COMMITTING;
    }

    /** Checks that neither the caller nor, because of a deadlock, the database has undone the transaction's first operation. */
    private void requireIntact(Ledger ledger, Connection connection, boolean commits, String consequence)
            throws SQLException {
        UUID first = claims.get(0).id().toUuid();
        String its = requireNonNull(transaction);
        if (commits ? !ledger.commitIntact(connection, first, its) : !ledger.isIntact(connection, first, its)) {
            throw ended(consequence);
        }
    }

    private static UncommittableException ended(String consequence) {
        return new UncommittableException(
                "This transaction was ended on its connection, by Connection.rollback(), a COMMIT or a deadlock. "
                        + consequence
                        + " Throw an exception instead of calling Connection.rollback(), leave COMMIT to the transaction"
                        + " manager, or use a savepoint (Propagation.NESTED) for statements that may fail.");
    }

    /** Returns the exception of a COMMIT that the server has refused; throws if it was sent and got no response. */
    private SQLException failedCommit(
            SQLException e, @Nullable LastStatement sender, Connection connection, boolean commits)
            throws SQLException {
        if (commits && !SqlFailures.isSure(e, connection)) {
            throw new CommitInDoubtException(e);
        }
        if (sender == null) {
            throw store.failed(e);
        }
        if (sender.isEnded(e)) {
            throw ended(UNDONE);
        }
        refused = last != null && sender.isDuplicate(e) ? new Refused(last.claim, Refusal.IN_PROGRESS) : null;
        if (last != null && !SqlFailures.isOfData(e)) {
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
