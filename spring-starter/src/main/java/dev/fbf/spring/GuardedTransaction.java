package dev.fbf.spring;

import dev.fbf.core.guard.Claim;
import dev.fbf.db.OpenTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A transaction of this thread, with the operations that follow its outcome, if there are any. */
final class GuardedTransaction {

    private static final Logger log = LoggerFactory.getLogger(GuardedTransaction.class);

    private final TransactionExecution transaction;
    private final Supplier<Proof> proofs;

    private @Nullable Proof proof;
    private @Nullable Connection connection;
    private boolean commitBegun;

    GuardedTransaction(TransactionExecution transaction, Supplier<Proof> proofs) {
        this.transaction = transaction;
        this.proofs = proofs;
    }

    boolean is(TransactionExecution other) {
        return transaction == other;
    }

    /**
     * Makes the claim's operation part of this transaction, which must be able to write and, if this throws, must roll
     * back. From then on the claim follows the transaction, unless it is still held.
     */
    Proof.Entry enter(Claim claim, Connection itsConnection) throws SQLException {
        if (transaction.isReadOnly()) {
            throw new IllegalStateException(
                    "@IdempotentIncrement cannot take part in a read-only transaction: it would record nothing");
        }
        if (proof == null) {
            proof = proofs.get();
            if (TransactionSynchronizationManager.isSynchronizationActive()) {
                TransactionSynchronizationManager.registerSynchronization(new Savepoints(proof));
            }
        }
        connection = itsConnection;
        return proof.enter(claim, itsConnection);
    }

    /** What tells the outcome of the operations that were entered. */
    @Nullable Proof proof() {
        return proof;
    }

    /** A driver may call it a success when COMMIT rolls back a transaction that has failed: so that is found out first. */
    void beforeCommit() {
        if (proof != null && connection != null) {
            requireNotFailed(connection);
            proof.beforeCommit();
        }
        commitBegun = true;
    }

    void afterCommit(@Nullable Throwable failure) {
        if (proof != null) {
            end(failure == null ? proof::committed : proof::inDoubt);
        }
    }

    /** Only a rollback that was confirmed, of a transaction that was never asked to commit, is sure. */
    void afterRollback(@Nullable Throwable failure) {
        if (proof != null) {
            end(failure == null && !commitBegun ? proof::rolledBack : proof::inDoubt);
        }
    }

    private static void requireNotFailed(Connection connection) {
        try {
            if (!OpenTransaction.canCommit(connection)) {
                throw new InvalidDataAccessApiUsageException(
                        "A statement of this transaction has failed, so that PostgreSQL can only roll it back, and the"
                                + " exception was caught. Let the exception pass, or use a savepoint"
                                + " (Propagation.NESTED) for what may fail.");
            }
        } catch (SQLException e) {
            throw SqlExceptions.translate("look whether the transaction can commit", e);
        }
    }

    /** What the caller is told depends on the database's answer alone. */
    private void end(Runnable end) {
        try {
            end.run();
        } catch (RuntimeException e) {
            log.error(
                    "The outcome of a transaction cannot be noted: the next start of this application settles it.", e);
        }
    }

    /** Tells a proof when its transaction goes back to a savepoint. */
    private record Savepoints(Proof proof, Map<Object, Integer> sizes) implements TransactionSynchronization {

        Savepoints(Proof proof) {
            this(proof, new HashMap<>());
        }

        @Override
        public void savepoint(Object savepoint) {
            sizes.put(savepoint, proof.size());
        }

        /** A savepoint that is not known was made before the first operation. */
        @Override
        public void savepointRollback(Object savepoint) {
            proof.undoAfter(sizes.getOrDefault(savepoint, 0));
        }
    }
}
