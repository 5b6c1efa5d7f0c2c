package dev.fbf.spring.transaction;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.StoreException;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Guard of operations that are applied in transactions, with their open scope and database. Thread-safe. */
public abstract class SqlOperationGuard extends OperationGuard {

    final Guards guards;
    final GuardedDatabase database;

    /** The longest wait of a request for the settlement of an operation in doubt. */
    protected final Duration settleTimeout;

    /** Operations whose scope and database are open. */
    public record Guarded(Guards guards, OperationSettings settings, GuardedDatabase database, ScopeDefinition scope) {}

    protected SqlOperationGuard(Guarded guarded) {
        super(guarded.settings, guarded.scope);
        guards = guarded.guards;
        database = guarded.database;
        settleTimeout = guards.settleTimeout;
    }

    @Override
    protected final Admission admit(Operation operation, boolean isAlone) {
        Admission admission;
        try {
            admission = guards.state.refuses() ? Refusal.STOPPED : take(operation, isAlone);
            if (admission == Refusal.IN_PROGRESS || admission == Refusal.NO_ROOM) {
                admission = takeAgain(operation, isAlone);
            }
        } catch (DataAccessException | StorageException | StoreException e) {
            throw database.undecided(settings.scope(), e);
        }
        if (admission == Refusal.HELD_BACK) {
            throw Refusals.heldBack(settings.scope(), heldBackFor());
        }
        return admission;
    }

    /** Takes a claim that an abandoned transaction has left, or that this thread's transaction holds no longer. */
    private Admission takeAgain(Operation operation, boolean isAlone) {
        if (database.transactionApplies(operation.id())) {
            return Refusal.APPLIED; // this thread's COMMIT applies the operation
        }
        database.transactions.endAbandoned();
        return take(operation, isAlone);
    }

    /**
     * Claims an operation, or refuses it; a hit of the filter is confirmed where the database can do so.
     *
     * @param isAlone whether the call has no other operation; otherwise, the statement that enters them may find one that was applied
     */
    protected abstract Admission take(Operation operation, boolean isAlone);

    /** Returns {@link Refusal#APPLIED}, {@link Refusal#IN_PROGRESS} or {@link Refusal#IN_DOUBT}; null if the operation is unknown. */
    protected abstract @Nullable Refusal known(Operation operation);

    /** Forgets an applied operation; returns false if this mode cannot. */
    protected boolean forget(Operation operation) {
        return false;
    }

    /** Returns the remaining time in which operations are held back. */
    protected abstract Duration heldBackFor();

    /**
     * Returns the outcome of an increment whose group's COMMIT got no response: {@link Refusal#APPLIED}, {@link Refusal#IN_DOUBT}, or null
     * if it was not applied.
     */
    protected abstract @Nullable Refusal awaitSettled(GroupedIncrement increment);

    /** Returns whether the request of an operation that is not part of this thread's transaction matches this one. */
    protected abstract boolean recognizes(Operation operation, long fingerprint);

    @Override
    public final boolean isHeldByThisThread(Operation operation) {
        return guards.isHeldByThisThread(operation.id());
    }

    @Override
    public final @Nullable OperationTransaction transaction() {
        return database.openTransaction();
    }

    @Override
    public final Execution begin(List<Execution.Claimed> claimed) {
        return new GuardedCall(this, settings, claimed);
    }

    @Override
    protected final void requireRoom(int operations) {
        database.transactions.requireRoom(settings.scope(), 0, operations);
    }

    @Override
    public final boolean recognizes(Operation operation) {
        Long fingerprint = operation.fingerprint();
        if (fingerprint == null) {
            return true;
        }
        GuardedTransaction current = database.transactions.current();
        if (current != null && current.applies(operation.id())) {
            Long known = current.fingerprint(operation.id());
            return known == null || known.equals(fingerprint);
        }
        try {
            return recognizes(operation, fingerprint);
        } catch (DataAccessException | StorageException | StoreException e) {
            throw database.undecided(settings.scope(), e);
        }
    }
}
