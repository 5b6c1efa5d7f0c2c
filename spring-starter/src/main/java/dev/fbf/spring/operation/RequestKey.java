package dev.fbf.spring.operation;

import dev.fbf.spring.IdempotencyKey;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Key of a request, with the state of its operations. One per request; confined to its thread, except for its value and caller. */
public final class RequestKey extends IdempotencyKey {

    /*
     * UNUSED -> USED(operation)             an attempt begins
     * USED -> USED(another operation)       in the same transaction, or after a rollback of the first
     * USED -> UNUSED                        the attempt has failed, and the caller's transaction does not hold the operation
     * UNUSED or USED -> DECIDED(exception)  a replay, a refusal, or a use that is not allowed: final, and the response to the request
     *
     * A retry of a request whose first operation is known is replayed, and does not reach the second one. So a second operation with a
     * separate COMMIT would be lost in a crash between the two COMMITs.
     */
    private sealed interface State {}

    private enum Unused implements State {
        UNUSED
    }

    private record Used(Execution operation) implements State {

        boolean leavesRoomFor(@Nullable CallTransaction transaction) {
            return operation.isRolledBack() || (transaction != null && operation.transaction() == transaction);
        }
    }

    private record Decided(RuntimeException exception) implements State {}

    private final String caller;
    private State state = Unused.UNUSED;

    /**
     * @param caller the caller of the request; empty for no particular caller
     */
    RequestKey(String value, String caller) {
        super(value);
        this.caller = caller;
    }

    /** Returns the caller of the request; empty for no particular caller. */
    public String caller() {
        return caller;
    }

    /** Returns the exception that decides on the response, even if the handler catches it; null if there is none. */
    @Nullable RuntimeException decision() {
        return state instanceof Decided decided ? decided.exception : null;
    }

    /**
     * Begins to use the key for an operation.
     *
     * @param transaction the operation's transaction; null if it will be committed separately
     * @return whether it is the first operation of the request
     */
    boolean begin(String scope, @Nullable CallTransaction transaction) {
        if (state instanceof Decided decided) {
            throw decided.exception;
        }
        if (state instanceof Used used && !used.leavesRoomFor(transaction)) {
            throw decide(new IllegalStateException("scope=" + scope
                    + ": another operation with this request's key belongs to another transaction. A crash"
                    + " between the two COMMITs would lose the second operation, because a retry gets"
                    + " the response to the first. The second operation was not applied. Add to several"
                    + " counters with one increment(key, Map), or annotate the method that uses the key"
                    + " with @Transactional."));
        }
        return state == Unused.UNUSED;
    }

    /** Records the start of an attempt to apply an operation. */
    void use(Execution operation) {
        state = new Used(operation);
    }

    /** Frees the key after a failed attempt, unless the response is decided or the caller's transaction holds the operation. */
    void failed() {
        if (state instanceof Used used && !used.operation.followsCaller()) {
            state = Unused.UNUSED;
        }
    }

    /** Records the decision on the response. The handler's open transaction lacks the operation, and so must not commit. */
    RuntimeException decide(RuntimeException exception) {
        state = new Decided(exception);
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    throw exception;
                }
            });
        }
        return exception;
    }
}
