package dev.fbf.spring.operation;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.StoreException;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * A transaction that has entered an operation ends its claim, and knows its own outcome, which completes the state of a Part. In
     * CLAIMED and NOT_ENTERED this execution ends the claims that the transaction has not. Operations that enter together share their
     * outcome, so the first one stands for all.
     */
    private sealed interface State {}

    private enum Begun implements State {
        CLAIMED
    }

    private enum Step {
        NOT_ENTERED,
        ENTERED,
        RETURNED
    }

    /** An attempt in a transaction, including a failed one, with the result of the work once that has returned. */
    private record Part(
            Step step,
            List<Claimed> entered,
            CallTransaction transaction,
            @Nullable Object result) implements State {

        Claim first() {
            return entered.get(0).claim;
        }

        OperationTransaction.State stateOfTransaction() {
            return step == Step.NOT_ENTERED ? OperationTransaction.State.ROLLED_BACK : transaction.state(first());
        }
    }

    private record Refused(Refusal reason) implements State {}

    /** Refused: advice around the work received this exception and may rethrow it. */
    private record Thrown(OperationRefusedException exception) implements State {}

    /** An operation, and the right to apply it. */
    public record Claimed(Operation operation, Claim claim) {}

    private final String scope;
    private final List<Claimed> claimed;
    protected final @Nullable CallTransaction caller;
    private final Duration settleTimeout;
    private State state = Begun.CLAIMED;

    /**
     * Begins a call.
     *
     * @param claimed the operations to apply; empty for a call without an operation, which still gets its transaction
     * @param caller the transaction in which the call was made; null if there is none
     * @param settleTimeout the longest wait for an outcome that is in doubt
     */
    public Execution(String scope, List<Claimed> claimed, @Nullable CallTransaction caller, Duration settleTimeout) {
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
     * @param observed receives the outcome, unless the result or the exception shows it
     * @return the result of the attempt, unless there is a {@link #refusal()}
     * @throws OperationRefusedException if the operation is not applied now, or its outcome is not known
     * @throws E the exception of the work, unless the work was done and only the response to its COMMIT is missing
     */
    @SuppressWarnings("unchecked") // the result has the type of the work
    public <T extends @Nullable Object, E extends Throwable> @Nullable T run(
            OperationObservationContext observed, Attempt<T, E> attempt) throws E {
        try {
            T result = attempt.apply(this);
            decideEntry();
            if (isRolledBack()) {
                findFailedEntry();
                if (refusal() == null) {
                    observed.setOutcome(OperationOutcome.FAILED);
                }
            } else if (followsCaller()) {
                observed.setOutcome(OperationOutcome.PENDING);
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
            Throwable failure, OperationObservationContext observed) throws E {
        try {
            findFailedEntry();
        } catch (StoreException e) {
            throw observed.refused(Refusals.of(e.refusal(), scope, e));
        }
        Refusal settled = awaitSettled(failure);
        if (settled == Refusal.APPLIED && state instanceof Part part && part.step == Step.RETURNED) {
            return part.result;
        }
        Refusal reason = settled;
        if (reason == null && refusal() == Refusal.RECOVERING) {
            reason = Refusal.RECOVERING;
        } else if (reason == null && failure instanceof StorageException) {
            reason = Refusal.FAILED;
        }
        if (reason != null && reason != Refusal.APPLIED) {
            throw observed.refused(Refusals.of(reason, scope, failure));
        }
        if (state instanceof Refused) {
            return null;
        }
        if (state instanceof Thrown thrown && thrown.exception == failure) {
            observed.refused(thrown.exception);
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
    protected @Nullable Refusal unavailability(Throwable failure, @Nullable CallTransaction entered) {
        return null;
    }

    /** Returns whether the call is without an operation. */
    protected final boolean isUnguarded() {
        return claimed.isEmpty();
    }

    /**
     * Returns the operations to enter.
     *
     * @throws IllegalStateException if they were entered or refused before
     */
    public List<Claimed> claimed() {
        if (state != Begun.CLAIMED) {
            throw new IllegalStateException("scope=" + scope
                    + ": this call was refused before, and cannot apply its operation. Let a retry do it.");
        }
        return claimed;
    }

    /**
     * Records that the transaction did not enter the operations, and can only roll back.
     *
     * @param entered the operations that it entered before the failure
     */
    public void notEntered(List<Claimed> entered, CallTransaction transaction) {
        state = new Part(Step.NOT_ENTERED, entered, transaction, null);
    }

    /** Decides, after the rollback, on an operation that another transaction was entering. */
    public void decideEntry() {
        if (state instanceof Part part && part.step == Step.NOT_ENTERED) {
            findFailedEntry();
            if (state == part) {
                refuse(Refusal.IN_PROGRESS);
            }
        }
    }

    /**
     * Records that the transaction entered operations. From now on it ends their claims.
     *
     * @param entered at least one; the others were applied before
     */
    public void entered(List<Claimed> entered, CallTransaction transaction) {
        state = new Part(Step.ENTERED, entered, transaction, null);
    }

    /** Returns the operations that a transaction has entered. */
    public List<Operation> entered() {
        return state instanceof Part part && part.step != Step.NOT_ENTERED
                ? part.entered.stream().map(Claimed::operation).toList()
                : List.of();
    }

    /** Records that the work has returned; its transaction may still commit or roll back. */
    public void returned(@Nullable Object result) {
        if (state instanceof Part part && part.step == Step.ENTERED) {
            state = new Part(Step.RETURNED, part.entered, part.transaction, result);
            part.entered.forEach(operation -> part.transaction.returned(operation.claim));
        }
    }

    /** Refuses the execution without an exception. */
    public void refuse(Refusal reason) {
        free();
        state = new Refused(reason);
    }

    /** Refuses the execution with an exception that the caller throws. */
    public OperationRefusedException refuse(OperationRefusedException exception) {
        free();
        state = new Thrown(exception);
        return exception;
    }

    /** Frees the claims that no transaction ends. */
    private void free() {
        List<Claimed> own = state == Begun.CLAIMED ? claimed : List.of();
        if (state instanceof Part part && part.step == Step.NOT_ENTERED) {
            own = new ArrayList<>(claimed);
            own.removeAll(part.entered);
        }
        for (Claimed its : own) {
            if (its.claim.isHeld()) {
                its.claim.free();
            }
        }
    }

    /** Refuses the execution if its transaction did not enter the operation. */
    private void findFailedEntry() {
        Refusal reason = state instanceof Part part ? part.transaction.failedEntry(claimed.get(0).claim) : null;
        if (reason != null) {
            refuse(reason);
        }
    }

    /** Returns the reason why this call does not apply the operation; null if it applies it, or the reason was thrown. */
    public @Nullable Refusal refusal() {
        return state instanceof Refused refused ? refused.reason : null;
    }

    /** Returns the operation's transaction; null if it has none, or none yet. */
    public @Nullable CallTransaction transaction() {
        return state instanceof Part part ? part.transaction : null;
    }

    /** Returns whether the operation's transaction rolled back, or its work received the refusal as an exception. */
    boolean isRolledBack() {
        return state instanceof Thrown
                || (state instanceof Part part && part.stateOfTransaction() == OperationTransaction.State.ROLLED_BACK);
    }

    /** Returns whether the caller's transaction decides the outcome, and is still open. */
    boolean followsCaller() {
        return state instanceof Part part
                && part.step != Step.NOT_ENTERED
                && part.transaction == caller
                && !part.transaction.isCompleted()
                && !part.stateOfTransaction().isEnd();
    }

    /**
     * Returns the reason why the operation is not applied, or is applied without a result for its caller. Called after the attempt. While
     * the caller's open transaction holds the operation, there is no reason yet.
     *
     * @param failure the exception of the attempt, or of the caller's transaction
     * @return null if the failure itself is the outcome
     */
    public @Nullable Refusal awaitSettled(Throwable failure) {
        if (state instanceof Part part && part.step != Step.NOT_ENTERED) {
            Refusal settled = part.transaction.awaitSettled(part.first(), failure, settleTimeout);
            if (settled != null) {
                return settled;
            }
        }
        boolean isApplied = refusal() == Refusal.APPLIED
                || (state instanceof Part part && part.stateOfTransaction() == OperationTransaction.State.COMMITTED);
        return isApplied || followsCaller() ? null : unavailability(failure, transaction());
    }
}
