package dev.fbf.spring.operation;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.StoreException;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionManager;

/**
 * One call, from its claims to its outcome: of one operation, of several that are applied together, or of none. Subclasses can enter the
 * operations in a transaction. The defaults suit a backend without transactions. Confined to the thread that began it.
 */
public class Execution {

    /*
     * CLAIMED -> ENTERED -> RETURNED -> COMMITTED | ROLLED_BACK | IN_DOUBT
     * ENTERED -> COMMITTED | ROLLED_BACK | IN_DOUBT       the work threw, or committed by itself
     * CLAIMED -> NOT_ENTERED                              the transaction failed to enter an operation
     * CLAIMED, NOT_ENTERED, ENTERED or ROLLED_BACK -> REFUSED
     *
     * A transaction that has entered an operation ends its claim, and knows its own outcome, which follows ENTERED and RETURNED. In
     * CLAIMED and NOT_ENTERED this execution ends the claims that the transaction has not. Operations that enter together share their
     * outcome, so the first one stands for all.
     */
    private enum Step {
        CLAIMED,
        NOT_ENTERED,
        ENTERED,
        RETURNED,
        REFUSED
    }

    /** An operation, and the right to apply it. */
    public record Claimed(Operation operation, Claim claim) {}

    private final String scope;
    private final List<Claimed> claimed;
    protected final @Nullable OperationTransaction caller;
    private final Duration settleTimeout;

    private Step step = Step.CLAIMED;

    /** The operations that the transaction has entered. */
    private List<Claimed> entered = List.of();

    /** The transaction of an attempt, including a failed one; null without one, after a refusal, and for operations committed separately. */
    private @Nullable OperationTransaction transaction;

    /** The result of the work once that has returned. */
    private @Nullable Object result;

    private @Nullable Refusal refusal;

    /** The exception of a refusal: advice around the work received it and may rethrow it. */
    private @Nullable OperationRefusedException thrown;

    /**
     * Begins a call.
     *
     * @param claimed the operations to apply; empty for a call without an operation, which still gets its transaction
     * @param caller the transaction in which the call was made; null if there is none
     * @param settleTimeout the longest wait for an outcome that is in doubt
     */
    public Execution(
            String scope, List<Claimed> claimed, @Nullable OperationTransaction caller, Duration settleTimeout) {
        this.scope = scope;
        this.claimed = claimed;
        this.caller = caller;
        this.settleTimeout = settleTimeout;
    }

    /** Attempt of the work, including any advice around it. */
    @FunctionalInterface
    public interface Attempt<T extends @Nullable Object, E extends Throwable> {
        @Nullable T apply(Execution execution) throws E;
    }

    public String scope() {
        return scope;
    }

    /**
     * Makes an attempt, and determines its outcome.
     *
     * @param observed receives the outcome, unless the result or a refusal shows it
     * @return the result of the attempt, unless there is a {@link #refusal()}
     * @throws OperationRefusedException if the operation is not applied now, or its outcome is not known
     * @throws E the exception of the work, unless the work was done and only the response to its COMMIT is missing
     */
    @SuppressWarnings("unchecked") // the result has the type of the work
    <T extends @Nullable Object, E extends Throwable> @Nullable T run(
            OperationObservations.Context observed, Attempt<T, E> attempt) throws E {
        try {
            T result = attempt.apply(this);
            if (step == Step.NOT_ENTERED) {
                decideEntry();
            }
            if (isRolledBack()) {
                findFailedEntry();
                if (refusal == null) {
                    observed.outcome = OperationOutcome.FAILED;
                }
            } else if (followsCaller()) {
                observed.outcome = OperationOutcome.PENDING;
            }
            return result;
        } catch (Throwable failure) {
            return (T) this.<E>resultDespite(failure, observed);
        } finally {
            free(); // has no effect if a transaction entered the operation: the transaction ends the claim
        }
    }

    @SuppressWarnings("unchecked") // the exception has the type of the work
    private <E extends Throwable> @Nullable Object resultDespite(
            Throwable failure, OperationObservations.Context observed) throws E {
        try {
            findFailedEntry();
        } catch (StoreException e) {
            throw Refusals.of(e.refusal(), scope, e);
        }
        Refusal settled = awaitSettled(failure);
        if (settled == Refusal.APPLIED && step == Step.RETURNED) {
            return result;
        }
        Refusal reason = settled;
        if (reason == null && refusal == Refusal.RECOVERING) {
            reason = Refusal.RECOVERING;
        } else if (reason == null && failure instanceof StorageException) {
            reason = Refusal.FAILED;
        }
        if (reason != null && reason != Refusal.APPLIED) {
            throw Refusals.of(reason, scope, failure);
        }
        if (refusal != null) {
            return null;
        }
        if (thrown != failure) {
            observed.outcome = OperationOutcome.FAILED;
        }
        throw (E) failure;
    }

    /**
     * Enters the operation, and calls its work.
     *
     * @return the result of the work; null also if the execution was refused
     */
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        return work.run();
    }

    /**
     * Returns the refusal if an operation that was not applied can be applied later.
     *
     * @param failure the exception of the attempt
     * @param entered the operation's transaction; null if there was none
     * @return null if the failure has another reason
     */
    protected @Nullable Refusal unavailability(Throwable failure, @Nullable OperationTransaction entered) {
        return null;
    }

    /** Returns whether a manager's transactions apply the operations, or no transaction does. */
    public boolean isManagedBy(TransactionManager manager) {
        return true;
    }

    /**
     * Returns the operations to enter.
     *
     * @throws IllegalStateException if they were entered or refused before
     */
    public List<Claimed> claimed() {
        if (step != Step.CLAIMED) {
            throw new IllegalStateException("scope=" + scope
                    + ": this call was refused before, and cannot apply its operation. Let a retry do it.");
        }
        return claimed;
    }

    /**
     * Records that the transaction did not enter the operations, and can only roll back.
     *
     * @param before the operations that it entered before the failure
     */
    public void notEntered(List<Claimed> before, OperationTransaction its) {
        step = Step.NOT_ENTERED;
        entered = before;
        transaction = its;
    }

    /** Decides, after the rollback, on operations that were not entered: another transaction was entering one. */
    public void decideEntry() {
        findFailedEntry();
        if (step == Step.NOT_ENTERED) {
            refuse(Refusal.IN_PROGRESS);
        }
    }

    /**
     * Records that the transaction entered operations. From now on it ends their claims.
     *
     * @param some at least one; the others were applied before
     * @param its the transaction; null if it was a separate one, which has committed
     */
    public void entered(List<Claimed> some, @Nullable OperationTransaction its) {
        step = Step.ENTERED;
        entered = some;
        transaction = its;
    }

    /** Returns the operations that a transaction has entered. */
    public List<Operation> entered() {
        return isEntered() ? entered.stream().map(Claimed::operation).toList() : List.of();
    }

    /** Records that the work has returned; its transaction may still commit or roll back. */
    public void returned(@Nullable Object value) {
        if (step == Step.ENTERED && transaction != null) {
            step = Step.RETURNED;
            result = value;
            for (Claimed operation : entered) {
                transaction.returned(operation.claim);
            }
        }
    }

    /** Refuses the execution without an exception. */
    public void refuse(Refusal reason) {
        end();
        refusal = reason;
    }

    /** Refuses the execution with an exception that the caller throws. */
    public OperationRefusedException refuse(OperationRefusedException exception) {
        end();
        thrown = exception;
        return exception;
    }

    private void end() {
        free();
        step = Step.REFUSED;
        transaction = null;
        refusal = null;
        thrown = null;
    }

    /** Frees the claims that no transaction ends. */
    private void free() {
        if (step == Step.CLAIMED || step == Step.NOT_ENTERED) {
            for (Claimed its : claimed) {
                if (!entered.contains(its) && its.claim.isHeld()) {
                    its.claim.free();
                }
            }
        }
    }

    /** Refuses the execution if its transaction did not enter the operation. */
    private void findFailedEntry() {
        Refusal reason = transaction == null ? null : transaction.failedEntry(claimed.get(0).claim);
        if (reason != null) {
            refuse(reason);
        }
    }

    /** Returns the reason why this call does not apply the operation; null if it applies it, or the reason was thrown. */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    /** Returns the operation's transaction; null if it has none, or none yet, or was committed separately. */
    public @Nullable OperationTransaction transaction() {
        return transaction;
    }

    /** Returns whether the operations were entered, or committed separately. */
    protected final boolean isEntered() {
        return step == Step.ENTERED || step == Step.RETURNED;
    }

    /** Returns the state of the operation's transaction; null if it has none. */
    private OperationTransaction.@Nullable State stateOfTransaction() {
        if (isEntered()) {
            return transaction == null ? OperationTransaction.State.COMMITTED : transaction.state(entered.get(0).claim);
        }
        return step == Step.NOT_ENTERED ? OperationTransaction.State.ROLLED_BACK : null;
    }

    /** Returns whether the operation's transaction rolled back, or its work received the refusal as an exception. */
    boolean isRolledBack() {
        return thrown != null || stateOfTransaction() == OperationTransaction.State.ROLLED_BACK;
    }

    /** Returns whether the caller's transaction decides the outcome, and is still open. */
    boolean followsCaller() {
        return isEntered()
                && transaction != null
                && transaction == caller
                && !transaction.isCompleted()
                && !transaction.state(entered.get(0).claim).isEnd();
    }

    /**
     * Returns the reason why the operation is not applied, or is applied without a result for its caller. Called after the attempt. While
     * the caller's open transaction holds the operation, there is no reason yet.
     *
     * @param failure the exception of the attempt, or of the caller's transaction
     * @return null if the failure itself is the outcome
     */
    public @Nullable Refusal awaitSettled(Throwable failure) {
        if (isEntered() && transaction != null) {
            Refusal settled = transaction.awaitSettled(entered.get(0).claim, failure, settleTimeout);
            if (settled != null) {
                return settled;
            }
        }
        boolean isApplied = refusal == Refusal.APPLIED || stateOfTransaction() == OperationTransaction.State.COMMITTED;
        return isApplied || followsCaller() ? null : unavailability(failure, transaction);
    }
}
