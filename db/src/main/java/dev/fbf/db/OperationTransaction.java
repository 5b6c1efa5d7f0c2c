package dev.fbf.db;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operations of one database transaction, and how it ended. Used by the transaction's thread; another one may end it in doubt. */
public final class OperationTransaction {

    /**
     * Where the transaction is. Operations enter while it is {@code OPEN}.
     *
     * <pre>
     * OPEN -> COMMITTING   -> COMMITTED   | IN_DOUBT     also when the caller may have committed, whatever the manager does then
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

        private boolean isEnd() {
            return compareTo(COMMITTED) >= 0;
        }
    }

    /** The work that is lost if the transaction rolls back. */
    public enum Scope {
        /** Also the caller's earlier work in the transaction. */
        CALLERS,
        /** This call alone. */
        CALL,
        /** This call alone, which leaves no trace elsewhere: it may begin before its operation is known to be new. */
        CALL_WITHOUT_TRACE
    }

    /**
     * A point to which the transaction can go back.
     *
     * @param size how many operations had been entered
     * @param beforePrelude whether a prelude was waiting: to go back there undoes it, and not its operation
     */
    public record Mark(int size, boolean beforePrelude) {}

    /**
     * An operation of the transaction.
     *
     * @param fingerprint of its request; null if requests are not compared
     * @param returned whether its work has returned: work that has thrown may have done a part
     */
    private record Entry(@Nullable Long fingerprint, boolean returned) {}

    /** An outcome store's entries for the operations of one transaction, from which their outcome can be determined. */
    public interface Entries {

        /** As {@link OperationTransaction#enter}. */
        @Nullable Refusal enter(Claim claim, @Nullable Long fingerprint, TransactionConnection connection, Scope scope)
                throws SQLException;

        /** As {@link OperationTransaction#failedEntry}. */
        @Nullable Refusal failedEntry(Claim claim, Duration timeout);

        /** {@return how many claims follow the transaction} */
        int size();

        /**
         * Takes back the latest operations.
         *
         * @param count how many stay
         * @return whether a prelude that waits is not to be sent
         */
        boolean undoAfter(int count);

        /** Makes ready for COMMIT what else tells the outcome. */
        default void prepare() {}

        /** Ends the claims that follow the transaction. */
        void ended(State end);

        /** As {@link OperationTransaction#settle}, for a transaction in doubt. */
        @Nullable Refusal settle(Claim claim, Duration timeout);
    }

    /**
     * The entries and the connection, which exist from the first operation on.
     *
     * @param connection as of the latest operation
     */
    private record Used(Entries entries, TransactionConnection connection) {}

    /** The transaction can only roll back; its message has the remedy. */
    public static final class UncommittableException extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        private UncommittableException(String message) {
            super(message);
        }
    }

    private static final Logger log = LoggerFactory.getLogger(OperationTransaction.class);

    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
    private final Map<OperationId, Entry> operations = new LinkedHashMap<>();

    private final Supplier<Entries> newEntries;

    /** Null before the first operation. */
    private volatile @Nullable Used used;

    /**
     * Begins.
     *
     * @param newEntries {@linkplain Arbiter#newEntries of its store}, called once there is an operation
     */
    public OperationTransaction(Supplier<Entries> newEntries) {
        this.newEntries = newEntries;
    }

    public State state() {
        return requireNonNull(state.get());
    }

    /** {@return whether its connection was lost before it ended} */
    public boolean isBroken() {
        return used != null && used.connection.state() == TransactionConnection.State.LOST;
    }

    /** {@return whether an attempt to enter an operation was made, also if it failed or was taken back} */
    public boolean isUsed() {
        return used != null;
    }

    /** {@return whether an operation was entered and not taken back} */
    public boolean contains(OperationId id) {
        return operations.containsKey(id);
    }

    /** {@return whether it applies an operation, whose work has returned, if it commits} */
    public boolean applies(OperationId id) {
        Entry entry = operations.get(id);
        return state() == State.OPEN && entry != null && entry.returned;
    }

    /** {@return the fingerprint of an operation's request; null if requests are not compared} */
    public @Nullable Long fingerprint(OperationId id) {
        Entry entry = operations.get(id);
        return entry == null ? null : entry.fingerprint;
    }

    /** Notes that the work of an operation has returned. */
    public void returned(OperationId id) {
        operations.computeIfPresent(id, (same, entry) -> new Entry(entry.fingerprint, true));
    }

    /**
     * Enters an operation, before the SQL of its method or together with the first of it; until then nothing is
     * written anywhere. A new one's claim follows the transaction.
     *
     * @param fingerprint of the request; null if requests are not compared
     * @param scope what is lost if the transaction rolls back
     * @return null if it was entered, also if that turns out with the first SQL only; if it does not, that SQL fails. {@link
     *     Refusal#APPLIED}: the claim was freed. {@link Refusal#IN_PROGRESS}: the claim is still held. {@link Refusal#RECOVERING}: nothing
     *     can be proved of the transaction, which must roll back, and the claim was freed
     * @throws IllegalStateException if the transaction is about to end, or has ended, also by the caller's own COMMIT or rollback; the
     *     claim is still held
     * @throws SQLException if that fails; the transaction must roll back, and the claim follows it or is still held
     */
    public @Nullable Refusal enter(
            Claim claim, @Nullable Long fingerprint, TransactionConnection connection, Scope scope)
            throws SQLException {
        if (state() != State.OPEN) {
            throw new IllegalStateException(
                    "state=" + state() + ": no operation can be part of the transaction any more");
        }
        requireNotEnded(connection);
        Entries entries = used == null ? newEntries.get() : used.entries;
        used = new Used(entries, connection);
        Refusal refusal = entries.enter(claim, fingerprint, connection, scope);
        if (refusal == null) {
            operations.put(claim.id(), new Entry(fingerprint, false));
        }
        return refusal;
    }

    /** After its own COMMIT or rollback, the caller's code has another transaction, with another outcome. */
    private static void requireNotEnded(TransactionConnection connection) {
        switch (connection.state()) {
            case OPEN, LOST -> {}
            case ROLLED_BACK, IN_DOUBT, COMMITTED ->
                throw new IllegalStateException("connection=" + connection.state()
                        + ": this transaction was ended on its connection, so that no operation can be part of it any more."
                        + " Leave COMMIT and rollback to the transaction manager, or call the guarded method in a transaction of its"
                        + " own (Propagation.REQUIRES_NEW).");
        }
    }

    /**
     * Decides, once the transaction has ended, whether an operation that was taken for new was the reason why the first SQL of its
     * work failed.
     *
     * @param timeout how long to wait for the database
     * @return what the database says of the operation, whose claim was freed then; null if it was not the reason
     */
    public @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
        return used == null ? null : used.entries.failedEntry(claim, timeout);
    }

    /** {@return how many claims follow the transaction} */
    public int size() {
        return used == null ? 0 : used.entries.size();
    }

    public Mark mark() {
        return new Mark(size(), used != null && used.connection.isWaiting());
    }

    /** Takes back the operations that were entered after a mark, and are new again: the transaction goes back to a savepoint. */
    public void backTo(Mark mark) {
        if (used == null) {
            return;
        }
        if (used.entries.undoAfter(mark.size)) {
            used.connection.drop();
        }
        List.copyOf(operations.keySet()).stream().skip(mark.size).forEach(operations::remove);
        if (mark.beforePrelude) {
            used.connection.repeat();
        }
    }

    /**
     * Prepares for COMMIT, which comes next. A failure here is a rollback, and not in doubt unless the caller may have committed: COMMIT
     * was not sent.
     *
     * @param flush sends the SQL that the caller's code has not sent yet
     * @throws UncommittableException if a statement has failed, or the transaction was ended already. A driver may call it a
     *     success when COMMIT rolls back a transaction that has failed
     * @throws SQLException if the database cannot be reached
     */
    public void beforeCommit(Runnable flush) throws SQLException {
        if (used != null && size() > 0) {
            try {
                flush.run();
                requireCommittable(used.connection);
                used.connection.flush();
                used.entries.prepare();
            } catch (SQLException | RuntimeException | Error e) {
                state.set(rollback());
                throw e;
            }
        }
        state.set(State.COMMITTING);
    }

    private static void requireCommittable(TransactionConnection connection) throws SQLException {
        if (!connection.canCommit()) {
            throw new UncommittableException(
                    "A statement of this transaction has failed, so that PostgreSQL can only roll it back, and the"
                            + " exception was caught. Let the exception pass, or use a savepoint"
                            + " (Propagation.NESTED) for statements that may fail.");
        }
        switch (connection.state()) {
            case OPEN, LOST, COMMITTED -> {}
            case ROLLED_BACK ->
                throw new UncommittableException(
                        "This transaction was rolled back on its connection, and the operation with it, so that what was"
                                + " done since would count as often as it is retried. Throw an exception in place of"
                                + " Connection.rollback(), or use a savepoint (Propagation.NESTED) for statements that may fail.");
            case IN_DOUBT ->
                throw new UncommittableException(
                        "A COMMIT of this transaction has failed on its connection, so that what was done since would count as"
                                + " often as the operation is retried. Leave COMMIT to the transaction manager.");
        }
    }

    public void beforeRollback() {
        check();
        state.compareAndSet(State.OPEN, rollback());
    }

    /** The state of a rollback: the caller's code may have committed on the connection itself, with all that it had done until then. */
    private State rollback() {
        return used != null && size() > 0 && used.connection.mayHaveCommitted() ? State.COMMITTING : State.ROLLING_BACK;
    }

    /** Notes that the transaction committed. */
    public void committed() {
        end(State.COMMITTED);
    }

    /** Notes that a rollback was confirmed: it is sure if COMMIT was not sent before. */
    public void rolledBack() {
        if (state() == State.COMMITTING) {
            inDoubt();
        } else {
            end(State.ROLLED_BACK);
        }
    }

    /** Notes that only the database knows whether the transaction committed. */
    public void inDoubt() {
        check();
        end(State.IN_DOUBT);
    }

    private void check() {
        if (used != null) {
            used.connection.check();
        }
    }

    /** The caller's response depends on the database's alone. */
    private void end(State end) {
        State before = state.getAndUpdate(current -> current.isEnd() ? current : end);
        if (used == null || before.isEnd()) {
            return;
        }
        try {
            used.entries.ended(end);
        } catch (RuntimeException e) {
            log.error(
                    "The outcome of a transaction cannot be noted: the next start of this application settles it.", e);
        }
    }

    /**
     * Waits for the outcome of an operation that was entered.
     *
     * @return {@link Refusal#APPLIED} if the transaction turned out to have committed; {@link Refusal#IN_DOUBT} if that is not
     *     known in time; null if it did not commit, or was not in doubt
     */
    public @Nullable Refusal settle(Claim claim, Duration timeout) {
        return used != null && state() == State.IN_DOUBT ? used.entries.settle(claim, timeout) : null;
    }
}
