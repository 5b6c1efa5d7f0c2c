package dev.fbf.spring.operation;

import dev.fbf.db.OperationTransaction;
import dev.fbf.spring.IdempotencyKey;
import org.jspecify.annotations.Nullable;

/** Key of a request, with the state of its operations. One per request; confined to its thread, except for its value and caller. */
public final class RequestKey extends IdempotencyKey {

    private final String caller;

    /** Latest operation with this key that was not rolled back; null if there is none. */
    private @Nullable Execution used;

    /**
     * @param caller the caller of the request; empty for no particular caller
     */
    public RequestKey(String value, String caller) {
        super(value);
        this.caller = caller;
    }

    /** Returns the caller of the request; empty for no particular caller. */
    public String caller() {
        return caller;
    }

    /**
     * Begins to use the key for an operation.
     *
     * @param transaction the operation's transaction; null if it will be committed separately
     * @return whether it is the first operation of the request
     * @throws IllegalStateException if another operation of the request is committed separately. A retry is replayed, and does not reach the
     *     second operation, which a crash between the two COMMITs would lose
     */
    boolean begin(String scope, @Nullable OperationTransaction transaction) {
        Execution before = used;
        if (before == null) {
            return true;
        }
        if (!before.isRolledBack() && (transaction == null || before.transaction() != transaction)) {
            throw new IllegalStateException("scope=" + scope
                    + ": another operation with this request's key belongs to another transaction. A crash"
                    + " between the two COMMITs would lose the second operation, because a retry gets"
                    + " the response to the first. The second operation was not applied. Add to several"
                    + " counters with one increment(key, Map), or annotate the method that uses the key"
                    + " with @Transactional.");
        }
        return false;
    }

    /** Records the start of an attempt to apply an operation. */
    void use(Execution operation) {
        used = operation;
    }

    /** Frees the key after a failed attempt, unless the caller's transaction holds the operation. */
    void failed() {
        if (used != null && !used.followsCaller()) {
            used = null;
        }
    }
}
