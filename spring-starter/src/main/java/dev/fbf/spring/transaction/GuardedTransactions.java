package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.OperationId;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.StoreException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;

/** Tracker of one manager's transactions from begin to end, which reports their outcome to their operations. */
final class GuardedTransactions implements TransactionExecutionListener {

    /*
     * A TransactionSynchronization is not sufficient: within another manager's transaction, Spring calls it when that transaction ends. A
     * listener is called by the manager itself. The transactions of a thread are nested: a new one begins while the
     * others are suspended, so the latest is on top of the stack.
     *
     * Events of savepoints and of transactions that participate in another one are ignored: the listener knows its
     * transactions by their identity.
     */
    private final int maxClaims;

    private final @Nullable GuardedTransactions next;

    /** Divisor of the number of claims for the maximum of one transaction, so that others have room. */
    private static final int PARTS = 4;

    /** Null until the database is open. */
    volatile @Nullable Supplier<OperationTransaction.Entries> newEntries;

    /** Action after each COMMIT, with or without operations. */
    volatile Runnable onCommit = () -> {};

    private final ThreadLocal<Deque<GuardedTransaction>> open = ThreadLocal.withInitial(ArrayDeque::new);

    /** The transactions of all threads that hold claims. */
    final Set<GuardedTransaction> withOperations = ConcurrentHashMap.newKeySet();

    /** @param next the transactions of another mode, which may send COMMIT after these; null if there are none */
    GuardedTransactions(int maxClaims, @Nullable GuardedTransactions next) {
        this.maxClaims = maxClaims;
        this.next = next;
    }

    /**
     * Ends the transactions whose end can no longer be reported, so that their claims are settled and freed; returns whether there were
     * any.
     */
    boolean endAbandoned() {
        List<GuardedTransaction> abandoned =
                withOperations.stream().filter(GuardedTransaction::isAbandoned).toList();
        abandoned.forEach(GuardedTransaction::inDoubt);
        return !abandoned.isEmpty();
    }

    /**
     * Checks that more operations can join a transaction.
     *
     * @param present the number of its operations
     * @param more the number of operations to add
     * @throws IllegalStateException if a transaction cannot have as many; it can still commit its present ones
     */
    void requireRoom(String scope, int present, int more) {
        int most = Math.max(1, maxClaims / PARTS);
        if (present + more > most) {
            throw new IllegalStateException("scope=" + scope + ", fbf.max-claims=" + maxClaims
                    + ": one transaction applies up to " + most
                    + " operations, a quarter of fbf.max-claims, and this one "
                    + (more == 1 ? "has as many" : "would apply " + (present + more))
                    + ". Set fbf.max-claims to at least four times the number of operations of the largest"
                    + " transaction, divide them among several transactions, or make one operation of them:"
                    + " SqlCounters.increment(Map).");
        }
    }

    /** Returns the manager's latest transaction of this thread, open or suspended; null if there is none. */
    @Nullable GuardedTransaction current() {
        return open.get().peek();
    }

    /** Returns whether an open or suspended transaction of this thread holds an operation. */
    boolean hold(OperationId id) {
        return open.get().stream().anyMatch(transaction -> transaction.holds(id));
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        Deque<GuardedTransaction> mine = open.get();
        while (!mine.isEmpty() && mine.element().isCompleted()) {
            mine.pop().inDoubt(); // Spring did not report its end
        }
        if (failure == null && transaction.isNewTransaction()) {
            mine.push(new GuardedTransaction(
                    transaction, () -> requireNonNull(newEntries).get(), this));
        }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        GuardedTransaction ended = current(transaction);
        if (ended != null) {
            open.get().pop();
            if (failure == null) {
                ended.committed();
                onCommit.run();
            } else {
                ended.inDoubt(); // only the database knows the outcome
            }
        }
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        GuardedTransaction ending = current(transaction);
        if (ending != null) {
            ending.beforeRollback();
        }
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        GuardedTransaction ended = current(transaction);
        if (ended != null) {
            open.get().pop();
            if (failure == null) {
                ended.rolledBack();
            } else {
                ended.inDoubt();
            }
        }
    }

    /** Listener of the last moment before COMMIT: after the application's listeners, whose exceptions roll back. */
    final class BeforeCommit implements TransactionExecutionListener {

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            GuardedTransaction ending = current(transaction);
            if (ending == null) {
                return;
            }
            try {
                // JPA would flush within COMMIT, where a failure is in doubt; a failure here is a rollback
                Runnable flush = transaction instanceof TransactionStatus status ? status::flush : () -> {};
                ending.beforeCommit(flush, next == null || !next.hasOperations(transaction));
            } catch (OperationTransaction.UncommittableException e) {
                throw new InvalidDataAccessApiUsageException(String.valueOf(e.getMessage()), e);
            } catch (OperationTransaction.CommitInDoubtException e) {
                throw new RecoverableDataAccessException(String.valueOf(e.getMessage()), e);
            } catch (StoreException e) {
                throw new InvalidDataAccessResourceUsageException(String.valueOf(e.getMessage()), e);
            } catch (SQLException e) {
                throw GuardedDatabase.translate("prepare the COMMIT of a guarded transaction", e);
            }
        }
    }

    private boolean hasOperations(TransactionExecution transaction) {
        GuardedTransaction same = current(transaction);
        return same != null && same.size() > 0;
    }

    /** Returns this thread's transaction if it is the given one; null for a transaction that participates in it. */
    private @Nullable GuardedTransaction current(TransactionExecution transaction) {
        GuardedTransaction current = open.get().peek();
        return current != null && current.transaction == transaction ? current : null;
    }
}
