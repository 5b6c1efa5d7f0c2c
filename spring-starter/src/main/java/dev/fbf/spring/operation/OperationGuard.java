package dev.fbf.spring.operation;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.db.Response;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Guard that admits the operations of one definition. Thread-safe. */
public abstract class OperationGuard {

    protected final OperationSettings settings;
    protected final ScopeDefinition scope;

    protected OperationGuard(OperationSettings settings, ScopeDefinition scope) {
        this.settings = settings;
        this.scope = scope;
    }

    /** Returns the settings of the operations. */
    public final OperationSettings settings() {
        return settings;
    }

    /** Returns whether all calls are let through without a key, because fbf is disabled. */
    public boolean letsThrough() {
        return false;
    }

    /**
     * Admits an operation.
     *
     * @throws OperationRefusedException if the operation may not be applied now
     */
    public abstract Admission admit(Operation operation);

    /**
     * Checks the key of an operation that is not known to be applied.
     *
     * @throws OperationRefusedException if the operation may not be applied now
     */
    public final void requireNotForgotten(Operation operation) {
        scope.window().requireNotForgotten(operation.key());
    }

    /** Returns whether this thread holds an operation, in an open transaction or in its work. */
    public abstract boolean isHeldByThisThread(Operation operation);

    /** Returns this thread's open transaction, which an operation would join; null if there is none. */
    public @Nullable CallTransaction transaction() {
        return null;
    }

    /** Returns whether an operation is part of {@link #transaction()}. */
    public boolean isInTransaction(Operation operation) {
        return false;
    }

    /** Begins the execution of an admitted operation. */
    public abstract Execution begin(Claim claim, Operation operation);

    /**
     * Applies the new ones among the operations of a batch in one transaction: all of them, or none.
     *
     * @param work called with the new operations, unless there are none
     * @param observed receives the outcome, unless the result or the exception shows it
     * @return the number of new operations; 0 also if the work marked its transaction rollback-only
     * @throws OperationRefusedException if the operations are not applied now, or their outcome is unknown
     * @throws E if the work throws it
     */
    public abstract <E extends Throwable> int applyAll(
            List<Operation> operations,
            IdempotentScope.BatchWork<Operation, E> work,
            OperationObservationContext observed)
            throws E;

    /** Checks that each key has a time, if the scope requires that. */
    final void requireTimes(List<Operation> operations) {
        operations.forEach(operation -> scope.window().requireTime(operation.key()));
    }

    /** Begins a call without a key that requires none. */
    public abstract Execution unguarded();

    /** Returns whether the request of an applied operation matches this one; true if that is not known. */
    public abstract boolean recognizes(Operation operation);

    /** Returns whether this guard keeps first responses with its operations, in place of the store for all guards. */
    protected boolean keepsResponses() {
        return false;
    }

    /** Keeps the first response to an operation's request. {@link Response#notKept} replaces an earlier response. */
    protected void keep(Response response) {}

    /** Returns the first response to an operation's request; null if it was not kept, or is no longer kept. */
    protected @Nullable Response response(Operation operation) {
        return null;
    }
}
