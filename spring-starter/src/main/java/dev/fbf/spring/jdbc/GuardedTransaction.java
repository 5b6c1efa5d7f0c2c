package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Proof;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A transaction of this thread, with the operations that follow its outcome, if there are any. */
final class GuardedTransaction {

    /*
     * OPEN -> COMMITTING -> COMMITTED | IN_DOUBT
     * OPEN -> ROLLING_BACK -> ROLLED_BACK | IN_DOUBT          also if COMMIT cannot be prepared
     * OPEN -> COMMITTING at the begin of a rollback, if the method may have committed on the connection itself
     * OPEN, COMMITTING or ROLLING_BACK -> IN_DOUBT, if its manager has not reported the end
     *
     * Operations enter while it is OPEN. Spring calls afterCommit and afterCompletion of synchronizations, and so
     * transactional event listeners, before it tells the listeners of the transaction itself of its end. In between, the
     * transaction is still bound to its thread, and what is written in it is lost, or committed without its operation.
     *
     * Its thread alone changes it, except that another one may find that its end was never reported.
     */
    private enum State {
        OPEN,
        COMMITTING,
        ROLLING_BACK,
        COMMITTED,
        ROLLED_BACK,
        IN_DOUBT
    }

    private static final Logger log = LoggerFactory.getLogger(GuardedTransaction.class);

    /** A transaction takes one of so many parts of the claims at most, so that there is room for others. */
    private static final int PARTS = 4;

    private final TransactionExecution transaction;
    private final GuardedTransactions all;
    private final Thread thread = Thread.currentThread();
    private final Instant since = Instant.now();
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    /** Operations in the order in which they were entered. A rollback to a savepoint removes those that came after it. */
    private final Map<OperationId, Entry> operations = new LinkedHashMap<>();

    /**
     * An operation of the transaction.
     *
     * @param fingerprint of its request; null if requests are not compared
     * @param returned whether its work has returned: what has thrown may have done a part
     */
    private record Entry(@Nullable Long fingerprint, boolean returned) {}

    private @Nullable Proof proof;
    private @Nullable TransactionConnection connection;

    /** Whether the connection was lost before the end. */
    private volatile boolean broken;

    GuardedTransaction(TransactionExecution transaction, GuardedTransactions all) {
        this.transaction = transaction;
        this.all = all;
    }

    boolean is(TransactionExecution other) {
        return transaction == other;
    }

    boolean isCompleted() {
        return transaction.isCompleted();
    }

    /** Whether no one will report its end any more: it has ended, or its thread has. */
    boolean isAbandoned() {
        return transaction.isCompleted() || !thread.isAlive();
    }

    Thread thread() {
        return thread;
    }

    Instant since() {
        return since;
    }

    boolean isCommitted() {
        return state.get() == State.COMMITTED;
    }

    boolean isRolledBack() {
        return state.get() == State.ROLLED_BACK;
    }

    /** Whether its connection was lost before it ended. */
    boolean isBroken() {
        return broken;
    }

    int size() {
        return operations.size();
    }

    /** Whether it is open, and the work of an operation is done, which it applies if it commits. */
    boolean applies(OperationId id) {
        Entry entry = operations.get(id);
        return state.get() == State.OPEN && entry != null && entry.returned;
    }

    /** Whether its outcome, which is open, decides on an operation, be the work done or not. */
    boolean holds(OperationId id) {
        return !isCompleted() && operations.containsKey(id);
    }

    /** Notes that the work of an operation has returned. */
    void returned(OperationId id) {
        operations.computeIfPresent(id, (same, entry) -> new Entry(entry.fingerprint, true));
    }

    /** The fingerprint of the request for an operation of this transaction; null if requests are not compared. */
    @Nullable Long fingerprint(OperationId id) {
        Entry entry = operations.get(id);
        return entry == null ? null : entry.fingerprint;
    }

    /**
     * Checks that the transaction is open.
     *
     * @throws IllegalStateException if it is about to end, or has ended
     */
    void requireOpen(String scope) {
        if (state.get() != State.OPEN) {
            throw new IllegalStateException("scope=" + scope
                    + ": the transaction of this thread has committed or rolled back, or is about to, so that the operation"
                    + " would be lost. It was not applied. A callback that runs after the end of a transaction, such as"
                    + " a @TransactionalEventListener, needs a transaction of its own: @Transactional(propagation ="
                    + " Propagation.REQUIRES_NEW) on the listener or on the guarded method, or a TransactionTemplate with"
                    + " PROPAGATION_REQUIRES_NEW.");
        }
    }

    /**
     * Checks whether one more operation may be part of this transaction.
     *
     * @throws IllegalStateException if it has as many as it may have; it can still commit those
     */
    void requireRoom(String scope) {
        int most = Math.max(1, all.maxClaims() / PARTS);
        if (operations.size() >= most) {
            throw new IllegalStateException("scope=" + scope + ", fbf.max-claims=" + all.maxClaims()
                    + ": one transaction applies up to " + most
                    + " operations, a quarter of fbf.max-claims, and this one has"
                    + " as many. Set fbf.max-claims to at least four times the number of operations of the largest"
                    + " transaction, divide them among several transactions, or make one operation of them:"
                    + " SqlCounters.increment(Map).");
        }
    }

    /**
     * Makes the claim's operation part of this transaction, which must be able to write and, if this throws, must roll
     * back. From then on the claim follows the transaction, unless it is still held.
     *
     * @param fingerprint of the request; null if requests are not compared
     * @param scope what is lost if the transaction rolls back
     * @return as {@link Proof#enter}
     */
    @Nullable Refusal enter(Claim claim, @Nullable Long fingerprint, TransactionConnection itsConnection, Proof.Scope scope)
            throws SQLException {
        if (transaction.isReadOnly()) {
            throw new IllegalStateException(
                    "@IdempotentIncrement cannot take part in a read-only transaction: it would record nothing");
        }
        if (proof == null) {
            proof = all.newProof();
            all.entered(this);
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new Synchronization());
            }
        }
        connection = itsConnection;
        Refusal refusal = proof.enter(claim, fingerprint, itsConnection, scope);
        if (refusal == null) {
            operations.put(claim.id(), new Entry(fingerprint, false));
        }
        return refusal;
    }

    /** What tells the outcome of the operations that were entered. */
    @Nullable Proof proof() {
        return proof;
    }

    /** A driver may call it a success when COMMIT rolls back a transaction that has failed: so that is found out first. */
    void beforeCommit() {
        if (proof != null && connection != null && proof.size() > 0) {
            try {
                flush();
                prepareCommit(connection);
                proof.beforeCommit();
            } catch (RuntimeException | Error e) {
                state.set(State.ROLLING_BACK); // which Spring reports to callbacks alone
                throw e;
            }
        }
        state.set(State.COMMITTING);
    }

    /** The method may have committed on the connection itself, with all that it had done, and thrown then. */
    void beforeRollback() {
        noteBroken();
        boolean mayHaveCommitted =
                proof != null && connection != null && proof.size() > 0 && connection.mayHaveCommitted();
        state.compareAndSet(State.OPEN, mayHaveCommitted ? State.COMMITTING : State.ROLLING_BACK);
    }

    void afterCommit(@Nullable Throwable failure) {
        if (failure == null) {
            end(State.COMMITTED, Proof::committed);
        } else {
            outcomeUnknown();
        }
    }

    /** Only a rollback that was confirmed, of a transaction that was never asked to commit, is sure. */
    void afterRollback(@Nullable Throwable failure) {
        if (failure == null && state.get() != State.COMMITTING) {
            end(State.ROLLED_BACK, Proof::rolledBack);
        } else {
            outcomeUnknown();
        }
    }

    /** Ends a transaction whose outcome is not known: the database knows. */
    void outcomeUnknown() {
        noteBroken();
        end(State.IN_DOUBT, Proof::inDoubt);
    }

    private void noteBroken() {
        broken |= connection != null && connection.isBroken();
    }

    /** JPA would do so within its COMMIT, and what fails there is in doubt; what fails here was never asked to commit. */
    private void flush() {
        if (transaction instanceof TransactionStatus status) {
            status.flush();
        }
    }

    private static void prepareCommit(TransactionConnection connection) {
        try {
            if (!connection.canCommit()) {
                throw new InvalidDataAccessApiUsageException(
                        "A statement of this transaction has failed, so that PostgreSQL can only roll it back, and the"
                                + " exception was caught. Let the exception pass, or use a savepoint"
                                + " (Propagation.NESTED) for what may fail.");
            }
            if (connection.wasRolledBack()) {
                throw new InvalidDataAccessApiUsageException(
                        "This transaction was rolled back on its connection, and the operation with it, so that what was"
                                + " done since would count as often as it is retried. Throw an exception in place of"
                                + " Connection.rollback(), or use a savepoint (Propagation.NESTED) for what may fail.");
            }
            connection.flush();
        } catch (SQLException e) {
            throw GuardedDatabase.translate("prepare the COMMIT of a guarded transaction", e);
        }
    }

    /** What the caller is told depends on the database's response alone. */
    private void end(State end, Consumer<Proof> note) {
        State before = state.getAndUpdate(current -> isEnd(current) ? current : end);
        if (proof == null || isEnd(before)) {
            return;
        }
        all.ended(this);
        try {
            note.accept(proof);
        } catch (RuntimeException e) {
            log.error(
                    "The outcome of a transaction cannot be noted: the next start of this application settles it.", e);
        }
    }

    private static boolean isEnd(State state) {
        return state == State.COMMITTED || state == State.ROLLED_BACK || state == State.IN_DOUBT;
    }

    /**
     * Learns when the transaction goes back to a savepoint, and when it ends in a way that listeners are not told of: if
     * a TransactionException is thrown right before COMMIT, Spring neither commits nor rolls back.
     */
    private final class Synchronization implements TransactionSynchronization {

        private final Map<Object, Integer> sizes = new HashMap<>();

        /** Those that were made while a prelude was waiting: to go back there undoes it, and not its operation. */
        private final Set<Object> beforePrelude = new HashSet<>();

        @Override
        public void savepoint(Object savepoint) {
            if (proof != null) {
                sizes.put(savepoint, proof.size());
                if (connection != null && connection.isWaiting()) {
                    beforePrelude.add(savepoint);
                }
            }
        }

        /** A savepoint that is not known was made before the first operation. */
        @Override
        public void savepointRollback(Object savepoint) {
            if (proof != null) {
                int size = sizes.getOrDefault(savepoint, 0);
                proof.undoAfter(size);
                List.copyOf(operations.keySet()).stream().skip(size).forEach(operations::remove);
                if (connection != null && beforePrelude.contains(savepoint)) {
                    connection.repeat();
                }
            }
        }

        /** Before the others: what they enter finds the transaction ended. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_UNKNOWN) {
                outcomeUnknown();
            }
        }
    }
}
