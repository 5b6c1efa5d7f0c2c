package dev.fbf.db;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operations of one database transaction, and its outcome. Used by the transaction's thread; another thread may end it in doubt. */
public class OperationTransaction {

    /**
     * State of the transaction. Operations enter while it is {@code OPEN}.
     *
     * <pre>
     * OPEN -> COMMITTING   -> COMMITTED   | IN_DOUBT
     * OPEN -> ROLLING_BACK -> ROLLED_BACK | IN_DOUBT     also when COMMIT cannot be prepared
     * OPEN -> IN_DOUBT                                   when its end was never reported
     * </pre>
     */
    public enum State {
        OPEN,
        COMMITTING,
        ROLLING_BACK,
        COMMITTED,
        ROLLED_BACK,
        IN_DOUBT;

        /** {@return whether the state is final} */
        public boolean isEnd() {
            return compareTo(COMMITTED) >= 0;
        }
    }

    /** The work that is lost if the transaction rolls back. */
    public enum LostWork {
        /** The caller's earlier work in the transaction, in addition to this call's. */
        CALLERS,
        /** Only this call's work. */
        CALL,
        /** Only this call's work, which has no effects outside the transaction: it may run before its operation is known to be new. */
        CALL_WITHOUT_TRACE
    }

    /** Entries of the witness or the ledger for the operations of one transaction, which determine the operations' outcome. */
    public interface Entries {

        /** See {@link OperationTransaction#enter}. */
        Map<Claim, Refusal> enter(List<Claim> claims, TransactionConnection connection, LostWork lost)
                throws SQLException;

        /** See {@link OperationTransaction#failedEntry}. */
        @Nullable Refusal failedEntry(Claim claim);

        /** {@return the number of claims that follow the transaction} */
        int size();

        /**
         * Removes the latest operations.
         *
         * @param count the number of operations to keep
         */
        void undoAfter(int count);

        /**
         * Prepares for COMMIT, which comes next, or sends it.
         *
         * @param isLast whether nothing else has to be sent before COMMIT
         * @return {@link State#COMMITTING}, or {@link State#COMMITTED} if COMMIT was sent and confirmed
         * @throws CommitInDoubtException if COMMIT was sent, and its outcome is unknown
         * @throws UncommittableException if the caller's code has rolled back
         * @throws SQLException if the transaction must roll back
         */
        State prepare(TransactionConnection connection, boolean isLast) throws SQLException;

        /** {@return whether an operation is still recorded} If not, the caller has undone it, and its claim ends. */
        default boolean isRecorded(OperationId id, TransactionConnection connection) throws SQLException {
            return true;
        }

        /** Ends the claims that follow the transaction. */
        void ended(State end);

        /** Waits for the outcome of a transaction in doubt; see {@link OperationTransaction#awaitSettled}. */
        @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout);
    }

    /**
     * Entries and connection; both exist from the first attempt to enter an operation on.
     *
     * @param connection the connection of the latest operation
     */
    private record Used(Entries entries, TransactionConnection connection) {}

    /** Signals that the transaction can only roll back. The message has the remedy. */
    public static final class UncommittableException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        public UncommittableException(String message) {
            super(message);
        }
    }

    /** Signals that COMMIT was sent together with fbf's statement, and that only the database knows its outcome. */
    public static final class CommitInDoubtException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        public CommitInDoubtException(Throwable cause) {
            super("the response to COMMIT is missing", cause);
        }
    }

    private static final Logger log = LoggerFactory.getLogger(OperationTransaction.class);

    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private final Map<OperationId, Claim> operations = new LinkedHashMap<>();

    /** Operations whose work has returned: work that threw may be partly done. */
    private final Set<OperationId> returned = new HashSet<>();

    private final Supplier<Entries> newEntries;

    /** Null before the first attempt to enter an operation. */
    private volatile @Nullable Used used;

    /**
     * Creates an open transaction.
     *
     * @param newEntries {@link OperationStore#newEntries}, called for the first operation
     */
    public OperationTransaction(Supplier<Entries> newEntries) {
        this.newEntries = newEntries;
    }

    public State state() {
        return requireNonNull(state.get());
    }

    /** {@return the state for an operation} If that was undone at a savepoint, it is new again, regardless of the transaction's outcome. */
    public State state(Claim claim) {
        return contains(claim.id()) ? state() : State.ROLLED_BACK;
    }

    /** {@return whether the transaction has ended, even if its end was not reported} */
    public boolean isCompleted() {
        return state().isEnd();
    }

    /** {@return whether the pending outcome decides on an operation, including one whose work is still running} */
    public boolean holds(OperationId id) {
        return !isCompleted() && contains(id);
    }

    /** {@return whether the connection was lost before the transaction ended} */
    public boolean isBroken() {
        return used != null && used.connection.isLost();
    }

    /** {@return whether an operation was entered and not undone} */
    public boolean contains(OperationId id) {
        return operations.containsKey(id);
    }

    /** {@return whether COMMIT would apply an operation: it was entered, and its work has returned} */
    public boolean applies(OperationId id) {
        return state() == State.OPEN && contains(id) && returned.contains(id);
    }

    /**
     * {@return whether COMMIT would apply an operation} Asks the database, because the caller may have rolled back to a savepoint of its own:
     * then the operation is new again.
     *
     * @throws SQLException if the database cannot be asked
     */
    public boolean stillApplies(OperationId id) throws SQLException {
        if (!applies(id) || used == null) {
            return false;
        }
        if (used.entries.isRecorded(id, used.connection)) {
            return true;
        }
        forget(id);
        return false;
    }

    private void forget(OperationId id) {
        operations.remove(id);
        returned.remove(id);
    }

    /** {@return the fingerprint of an operation's request; null if requests are not compared} */
    public @Nullable Long fingerprint(OperationId id) {
        Claim claim = operations.get(id);
        return claim == null ? null : claim.fingerprint();
    }

    /** Records that the work of an operation has returned. */
    public void returned(Claim claim) {
        returned.add(claim.id());
    }

    /**
     * Enters the operations of one call, before the first SQL statement of its work or with the last one. The claims of new operations follow
     * the transaction. May wait for another transaction that is entering one of them.
     *
     * @param lost what is lost if the transaction rolls back
     * @return the refusals of the operations that were not entered, and will not be with the last statement, which fails for a duplicate.
     *     {@link Refusal#APPLIED}: the claim has ended. {@link Refusal#IN_PROGRESS} and {@link Refusal#CONFLICT}: the claim is still held
     * @throws IllegalStateException if the transaction is read-only or about to end, or has ended, also by the caller's own COMMIT or
     *     rollback; the claims are still held
     * @throws SQLException if they could not be entered; the transaction must roll back, and the claims follow it or are still held
     * @throws dev.fbf.core.StorageException if a file failed; the transaction must roll back, and the claims are held or have ended
     */
    public Map<Claim, Refusal> enter(List<Claim> claims, TransactionConnection connection, LostWork lost)
            throws SQLException {
        if (state() != State.OPEN) {
            throw new IllegalStateException("state=" + state() + ": no operation can join the transaction any more");
        }
        Entries entries = used == null ? newEntries.get() : used.entries;
        if (used == null) {
            firstUse();
        }
        used = new Used(entries, connection);
        Map<Claim, Refusal> refused = entries.enter(claims, connection, lost);
        claims.stream()
                .filter(claim -> !refused.containsKey(claim))
                .forEach(claim -> operations.put(claim.id(), claim));
        return refused;
    }

    /** Called before the first operation enters; its exceptions refuse the operation. */
    protected void firstUse() {}

    /** Called after the end, if an attempt was made to enter an operation. */
    protected void ended() {}

    /**
     * Determines, after the end of the transaction, whether an operation was not entered: because it is a duplicate, another transaction
     * was entering it, or the witness's row had an unexpected token.
     *
     * @return the refusal, after the claim has ended; null if the operation was entered, or failed for another reason
     */
    public @Nullable Refusal failedEntry(Claim claim) {
        return used == null ? null : used.entries.failedEntry(claim);
    }

    /** {@return the number of claims that follow the transaction} */
    public int size() {
        return used == null ? 0 : used.entries.size();
    }

    /**
     * Removes the latest operations, because the transaction rolls back to a savepoint. They are new again.
     *
     * @param size the {@link #size} at the savepoint
     */
    public void backTo(int size) {
        if (used != null) {
            used.entries.undoAfter(size);
            List.copyOf(operations.keySet()).stream().skip(size).forEach(this::forget);
        }
    }

    /**
     * Prepares for COMMIT, which comes next, or sends it. If this fails otherwise than in doubt, the outcome is a rollback.
     *
     * @param flush sends the SQL that the caller's code has not sent yet
     * @param isLast whether nothing else has to be sent before COMMIT
     * @throws CommitInDoubtException if COMMIT was sent, and its outcome is unknown
     * @throws UncommittableException if a statement has failed, or the caller's code has rolled back on the connection. Drivers may report
     *     success when COMMIT rolls back a failed transaction
     * @throws SQLException if the transaction must roll back
     * @throws dev.fbf.core.StorageException if a file of the node failed
     */
    public void beforeCommit(Runnable flush, boolean isLast) throws SQLException {
        State prepared = State.COMMITTING;
        if (used != null && size() > 0) {
            try {
                flush.run();
                if (!used.connection.canCommit()) {
                    throw new UncommittableException(
                            "A statement of this transaction has failed and its exception was caught, so PostgreSQL can"
                                    + " only roll the transaction back. Let the exception pass, or use a savepoint"
                                    + " (Propagation.NESTED) for statements that may fail.");
                }
                prepared = used.entries.prepare(used.connection, isLast);
            } catch (CommitInDoubtException e) {
                inDoubt();
                throw e;
            } catch (SQLException | RuntimeException | Error e) {
                state.set(State.ROLLING_BACK);
                throw e;
            }
        }
        if (prepared.isEnd()) {
            end(prepared);
        } else {
            state.set(prepared);
        }
    }

    public void beforeRollback() {
        check();
        state.compareAndSet(State.OPEN, State.ROLLING_BACK);
    }

    /** Records that the transaction committed. */
    public void committed() {
        end(State.COMMITTED);
    }

    /** Records that a rollback was confirmed. If COMMIT may have been sent before, the transaction is in doubt. */
    public void rolledBack() {
        if (state() == State.COMMITTING) {
            inDoubt();
        } else {
            end(State.ROLLED_BACK);
        }
    }

    /**
     * Ends a transaction that its manager neither commits nor rolls back. Without COMMIT it is rolled back, because the driver would commit
     * it when the manager resets the connection.
     */
    public void abandoned() {
        if (used == null || state() != State.OPEN) {
            inDoubt();
            return;
        }
        try {
            used.connection.connection().rollback();
            end(State.ROLLED_BACK);
        } catch (SQLException e) {
            log.debug("The rollback of an abandoned transaction has failed.", e);
            inDoubt();
        }
    }

    /** Records that only the database knows whether the transaction committed. */
    public void inDoubt() {
        check();
        end(State.IN_DOUBT);
    }

    private void check() {
        if (used != null) {
            used.connection.check();
        }
    }

    /** Sets the final state; later calls have no effect. A failure to record it is only logged: the database's response is the outcome. */
    private void end(State end) {
        State before = state.getAndUpdate(current -> current.isEnd() ? current : end);
        if (used == null || before.isEnd()) {
            return;
        }
        try {
            used.entries.ended(end);
        } catch (RuntimeException e) {
            log.error(
                    "The outcome of a transaction cannot be recorded: the next start of this application settles it.",
                    e);
        }
        ended();
    }

    /**
     * Waits for the outcome of an operation that was entered.
     *
     * @param failure the failure of the transaction
     * @return {@link Refusal#APPLIED} if the transaction committed; {@link Refusal#IN_DOUBT} if the outcome is not known in time; null if
     *     it did not commit, or was not in doubt
     */
    public @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout) {
        return used != null && state() == State.IN_DOUBT ? used.entries.awaitSettled(claim, failure, timeout) : null;
    }
}
