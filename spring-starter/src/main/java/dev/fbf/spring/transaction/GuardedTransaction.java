package dev.fbf.spring.transaction;

import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.Proof;
import dev.fbf.db.TransactionConnection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
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

    private static final Logger log = LoggerFactory.getLogger(GuardedTransaction.class);

    /** A transaction takes one of so many parts of the claims at most, so that there is room for others. */
    private static final int PARTS = 4;

    private final TransactionExecution transaction;
    private final Supplier<Proof> proofs;
    private final int maxClaims;

    private @Nullable Proof proof;
    private @Nullable TransactionConnection connection;

    /** How many claims it holds; those that were undone are among them. */
    private int held;

    private boolean mayHaveCommitted;
    private boolean ended;

    GuardedTransaction(TransactionExecution transaction, Supplier<Proof> proofs, int maxClaims) {
        this.transaction = transaction;
        this.proofs = proofs;
        this.maxClaims = maxClaims;
    }

    boolean is(TransactionExecution other) {
        return transaction == other;
    }

    boolean isCompleted() {
        return transaction.isCompleted();
    }

    /**
     * Checks whether one more operation may be part of this transaction.
     *
     * @throws IllegalStateException if it has as many as it may have; it can still commit those
     */
    void requireRoom(String scope) {
        int most = Math.max(1, maxClaims / PARTS);
        if (held >= most) {
            throw new IllegalStateException("scope=" + scope + ", fbf.max-claims=" + maxClaims
                    + ": one transaction applies up to " + most
                    + " operations, a quarter of fbf.max-claims, and this one has"
                    + " as many. Divide them among several transactions, or make one operation of them:"
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
            proof = proofs.get();
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new Synchronization());
            }
        }
        connection = itsConnection;
        Refusal refusal = proof.enter(claim, fingerprint, itsConnection, scope);
        if (refusal == null) {
            held++;
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
            flush();
            prepareCommit(connection);
            proof.beforeCommit();
        }
        mayHaveCommitted = true;
    }

    /** The method may have committed on the connection itself, with all that it had done, and thrown then. */
    void beforeRollback() {
        mayHaveCommitted |= proof != null && connection != null && proof.size() > 0 && connection.mayHaveCommitted();
    }

    void afterCommit(@Nullable Throwable failure) {
        if (failure == null) {
            end(Proof::committed);
        } else {
            outcomeUnknown();
        }
    }

    /** Only a rollback that was confirmed, of a transaction that was never asked to commit, is sure. */
    void afterRollback(@Nullable Throwable failure) {
        if (failure == null && !mayHaveCommitted) {
            end(Proof::rolledBack);
        } else {
            outcomeUnknown();
        }
    }

    /** Nobody will tell what became of it. */
    void outcomeUnknown() {
        end(Proof::inDoubt);
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
    private void end(Consumer<Proof> end) {
        if (proof == null || ended) {
            return;
        }
        ended = true;
        try {
            end.accept(proof);
        } catch (RuntimeException e) {
            log.error(
                    "The outcome of a transaction cannot be noted: the next start of this application settles it.", e);
        }
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
                proof.undoAfter(sizes.getOrDefault(savepoint, 0));
                if (connection != null && beforePrelude.contains(savepoint)) {
                    connection.repeat();
                }
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_UNKNOWN) {
                outcomeUnknown();
            }
        }
    }
}
