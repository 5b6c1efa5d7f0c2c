package dev.fbf.spring.operation;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.dialect.Response;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Guard that admits the operations of one definition. Thread-safe. */
public abstract class OperationGuard {

    protected final OperationSettings settings;
    protected final ScopeDefinition scope;
    private final RetryWindow window;

    protected OperationGuard(OperationSettings settings, ScopeDefinition scope) {
        this.settings = settings;
        this.scope = scope;
        window = scope.window();
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
     * Claims the operations of a call that may be new.
     *
     * @param claimed receives them
     * @return null if there are some; otherwise the reason why no operation is claimed
     * @throws OperationRefusedException if an operation may not be applied now; none is claimed then
     */
    final @Nullable Refusal admit(List<Operation> operations, List<Execution.Claimed> claimed) {
        boolean isAlone = operations.size() == 1;
        try {
            for (Operation operation : operations) {
                window.requireTime(operation.time());
                Admission admission = admit(operation, isAlone);
                if (admission instanceof Claim claim) {
                    claimed.add(new Execution.Claimed(operation, claim));
                    if (operation.time() != null && isRecordedOutsideWindow(operation)) {
                        claimed.remove(claimed.size() - 1);
                        claim.applied();
                    }
                } else if (admission != Refusal.APPLIED) {
                    free(claimed);
                    return (Refusal) admission;
                }
            }
        } catch (Throwable e) {
            free(claimed);
            throw e;
        }
        return claimed.isEmpty() ? Refusal.APPLIED : null;
    }

    private static void free(List<Execution.Claimed> claimed) {
        claimed.forEach(operation -> operation.claim().free());
        claimed.clear();
    }

    /**
     * Admits an operation.
     *
     * @param isAlone whether the call has no other operation; otherwise, entering them may find one that was applied
     * @throws OperationRefusedException if the operation may not be applied now
     */
    protected abstract Admission admit(Operation operation, boolean isAlone);

    /** Returns whether the key of an operation forbids applying it, and the operation was applied, perhaps by another node. */
    private boolean isRecordedOutsideWindow(Operation operation) {
        try {
            requireNotForgotten(operation);
            return false;
        } catch (OperationRefusedException e) {
            if (!isRecorded(operation)) {
                throw e;
            }
            return true;
        }
    }

    /** Returns whether a database has recorded an operation. */
    protected boolean isRecorded(Operation operation) {
        return false;
    }

    /**
     * Checks that a call may have as many operations.
     *
     * @throws RuntimeException if it may not, now or ever
     */
    protected void requireRoom(int operations) {}

    /**
     * Checks the key of an operation that is not known to be applied.
     *
     * @throws OperationRefusedException if the operation may not be applied now
     */
    public final void requireNotForgotten(Operation operation) {
        if (operation.time() != null) {
            window.requireNotForgotten(operation.time());
        }
    }

    /** Returns the time for which a ledger keeps an operation. */
    protected final Duration retention(Operation operation) {
        return window.retention(operation.time());
    }

    /** Returns whether this thread holds an operation, in an open transaction or in its work. */
    public abstract boolean isHeldByThisThread(Operation operation);

    /** Returns this thread's open transaction, which an operation would join; null if there is none. */
    public @Nullable OperationTransaction transaction() {
        return null;
    }

    /**
     * Begins the execution of admitted operations, which are applied together or not at all; of a call without a key, if there are none.
     */
    public abstract Execution begin(List<Execution.Claimed> claimed);

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
