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
import org.jspecify.annotations.Nullable;

/**
 * One call, from its claim to its outcome. Subclasses can enter its operation in a transaction. The defaults suit a backend without
 * transactions. Confined to the thread that began it.
 */
public class Execution {

    /*
     * CLAIMED -> ENTERED -> RETURNED -> COMMITTED | ROLLED_BACK | IN_DOUBT
     * ENTERED -> COMMITTED | ROLLED_BACK | IN_DOUBT       the work threw, or committed by itself
     * CLAIMED -> NOT_ENTERED                              the transaction failed to enter the operation
     * CLAIMED, NOT_ENTERED, ENTERED or ROLLED_BACK -> REFUSED
     * UNGUARDED                                           the call has no key: final
     *
     * A transaction that has entered an operation ends its claim, and knows its own outcome, which completes the state of a Part. In
     * NOT_ENTERED this execution still ends the claim.
     */
    private sealed interface State {}

    private enum Unguarded implements State {
        UNGUARDED
    }

    private record Claimed(Claim claim) implements State {}

    private enum Step {
        NOT_ENTERED,
        ENTERED,
        RETURNED
    }

    /** An attempt in a transaction, including a failed one, with the result of the work once that has returned. */
    private record Part(
            Step step,
            Claim claim,
            CallTransaction transaction,
            @Nullable Object result) implements State {}

    private record Refused(Refusal reason) implements State {}

    /** Refused: advice around the work received this exception and may rethrow it. */
    private record Thrown(OperationRefusedException exception) implements State {}

    private final String scope;
    protected final @Nullable CallTransaction caller;
    private final Duration settleTimeout;
    private State state;

    /**
     * Begins a call.
     *
     * @param claim the claim of its operation; null for a call without an operation, which still gets its transaction
     * @param caller the transaction in which the call was made; null if there is none
     * @param settleTimeout the longest wait for an outcome that is in doubt
     */
    public Execution(String scope, @Nullable Claim claim, @Nullable CallTransaction caller, Duration settleTimeout) {
        this.scope = scope;
        this.caller = caller;
        this.settleTimeout = settleTimeout;
        state = claim == null ? Unguarded.UNGUARDED : new Claimed(claim);
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
            }
            if (followsCaller()) {
                observed.setOutcome(OperationOutcome.PENDING);
            } else if (isRolledBack()) {
                observed.setOutcome(OperationOutcome.FAILED);
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

    /** Returns the claim that this execution must end; null if there is none. */
    private @Nullable Claim held() {
        Claim claim = state instanceof Claimed claimed
                ? claimed.claim
                : state instanceof Part part && part.step == Step.NOT_ENTERED ? part.claim : null;
        return claim != null && claim.isHeld() ? claim : null;
    }

    /**
     * Returns the claim for entering the operation.
     *
     * @throws IllegalStateException if the operation was entered or refused before
     */
    public Claim claim() {
        Claim held = held();
        if (held == null) {
            throw new IllegalStateException("scope=" + scope
                    + ": this call was refused before, and cannot apply its operation. Let a retry do it.");
        }
        return held;
    }

    /** Records that the transaction did not enter the operation, and can only roll back. */
    public void notEntered(Claim claim, CallTransaction transaction) {
        state = new Part(Step.NOT_ENTERED, claim, transaction, null);
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

    /** Records that the transaction entered the operation. From now on it ends the claim. */
    public void entered(Claim claim, CallTransaction transaction) {
        state = new Part(Step.ENTERED, claim, transaction, null);
    }

    /** Records that the work has returned; its transaction may still commit or roll back. */
    public void returned(@Nullable Object result) {
        if (state instanceof Part part && part.step == Step.ENTERED) {
            state = new Part(Step.RETURNED, part.claim, part.transaction, result);
            part.transaction.returned(part.claim);
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

    private void free() {
        Claim held = held();
        if (held != null) {
            held.free();
        }
    }

    /** Refuses the execution if its transaction did not enter the operation. */
    private void findFailedEntry() {
        Refusal reason = state instanceof Part part ? part.transaction.failedEntry(part.claim, settleTimeout) : null;
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
        return state instanceof Thrown || ended(OperationTransaction.State.ROLLED_BACK);
    }

    private boolean ended(OperationTransaction.State end) {
        return state instanceof Part part && part.transaction.state(part.claim) == end;
    }

    /** Returns whether the caller's transaction decides the outcome, and is still open. */
    boolean followsCaller() {
        return state instanceof Part part
                && part.step != Step.NOT_ENTERED
                && part.transaction == caller
                && !part.transaction.isCompleted()
                && !part.transaction.state(part.claim).isEnd();
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
            Refusal settled = part.transaction.awaitSettled(part.claim, failure, settleTimeout);
            if (settled != null) {
                return settled;
            }
        }
        return followsCaller() || ended(OperationTransaction.State.COMMITTED)
                ? null
                : unavailability(failure, transaction());
    }
}
