package dev.fbf.spring.operation;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallContext.End;
import dev.fbf.spring.operation.CallContext.Transaction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One call, from its claim to its outcome. Used by the thread that has begun it. */
public final class Execution {

    /*
     * CLAIMED -> ENTERED -> RETURNED -> COMMITTED | ROLLED_BACK | IN_DOUBT
     * ENTERED -> COMMITTED | ROLLED_BACK | IN_DOUBT       the work has thrown, or has committed by itself
     * CLAIMED -> NOT_ENTERED                              the transaction has failed to take the operation
     * CLAIMED, NOT_ENTERED, ENTERED or ROLLED_BACK -> REFUSED
     * all but CLAIMED and UNGUARDED -> CLAIMED            advice between the two interceptors calls the method again
     * UNGUARDED                                           the call has no key: final
     *
     * The transaction that has taken an operation ends its claim, and knows how it has ended itself: it completes the state of a Part. In
     * NOT_ENTERED the claim is still this execution's to end.
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

    /** Is part of a transaction, or should have been; with the result of the work, once that has returned. */
    private record Part(
            Step step,
            Claim claim,
            Transaction transaction,
            @Nullable Object result) implements State {}

    private record Refused(Refusal reason) implements State {}

    /** Refused: the work, or advice around it, received this exception and may rethrow it. */
    private record Thrown(OperationRefusedException exception) implements State {}

    private final CallContext context;
    private final Thread thread = Thread.currentThread();
    private State state;

    /** Begins the execution of an operation. */
    public Execution(CallContext context, Claim claim) {
        this.context = context;
        state = new Claimed(claim);
    }

    private Execution(CallContext context) {
        this.context = context;
        state = Unguarded.UNGUARDED;
    }

    /** Begins a call that has no key and needs none: a method does not lose its transaction because a client sends no key. */
    public static Execution unguarded(CallContext context) {
        return new Execution(context);
    }

    /** Calls the work, perhaps with advice around it. */
    @FunctionalInterface
    public interface Attempt<T extends @Nullable Object, E extends Throwable> {
        @Nullable T apply(Execution execution) throws E;
    }

    public CallContext context() {
        return context;
    }

    public String scope() {
        return context.scope();
    }

    /**
     * Makes an attempt, and finds out its outcome.
     *
     * @param observed gets the reason why the operation is refused, if that is thrown
     * @return the result of the attempt, unless there is a {@link #refusal()}
     * @throws OperationRefusedException if the outcome is not known
     * @throws E what the work has thrown: it stands, but where the work was done and only its COMMIT got no response
     */
    @SuppressWarnings("unchecked") // the result is that of the work
    public <T extends @Nullable Object, E extends Throwable> @Nullable T run(
            OperationObservationContext observed, Attempt<T, E> attempt) throws E {
        try {
            T result;
            try {
                result = attempt.apply(this);
            } finally {
                context.left();
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
            free(); // no transaction took it: nothing was done
        }
    }

    @SuppressWarnings("unchecked") // the exception is that of the work
    private <E extends Throwable> @Nullable Object resultDespite(
            Throwable failure, OperationObservationContext observed) throws E {
        findFailedEntry();
        Refusal settled = settle(failure);
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
            throw observed.refused(Refusals.of(reason, scope(), failure));
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
     * Calls the work as part of this execution. The claim ends when the thread that took it returns: it must not protect the work of a
     * thread that may continue.
     *
     * @throws IllegalStateException if advice has changed the thread
     */
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        if (thread != Thread.currentThread()) {
            throw otherThread(scope());
        }
        return context.call(this, work);
    }

    /** Returns the exception where advice has changed the thread. */
    public static IllegalStateException otherThread(String scope) {
        return new IllegalStateException("scope=" + scope
                + ": advice of this method continues on another thread, so its operation was not applied. Use @Async, or let"
                + " the method that continues on the other thread call the guarded one on another bean.");
    }

    /** The claim that is this execution's to end; null if there is none. */
    private @Nullable Claim held() {
        Claim claim = state instanceof Claimed claimed
                ? claimed.claim
                : state instanceof Part part && part.step == Step.NOT_ENTERED ? part.claim : null;
        return claim != null && claim.isHeld() ? claim : null;
    }

    /**
     * Returns the claim to enter the operation with.
     *
     * @param admissions is asked if an earlier attempt has ended the claim
     * @return null if there is none: the execution is refused
     */
    public @Nullable Claim claim(Supplier<Admission> admissions) {
        findFailedEntry();
        Claim held = held();
        if (held == null) {
            Admission admission = admissions.get();
            if (admission instanceof Claim claim) {
                held = claim;
                state = new Claimed(claim);
            } else {
                state = new Refused((Refusal) admission);
            }
        }
        return held;
    }

    /** Notes that the transaction has failed to take the operation, and can only roll back. */
    public void notEntered(Claim claim, Transaction transaction) {
        state = new Part(Step.NOT_ENTERED, claim, transaction, null);
    }

    /** Notes that the transaction has taken the operation, and ends its claim. */
    public void entered(Claim claim, Transaction transaction) {
        state = new Part(Step.ENTERED, claim, transaction, null);
    }

    /** Notes that the work has returned; whether its transaction commits is open. */
    public void returned(@Nullable Object result) {
        if (state instanceof Part part && part.step == Step.ENTERED) {
            state = new Part(Step.RETURNED, part.claim, part.transaction, result);
            part.transaction.returned(part.claim);
        }
    }

    /** Refuses the execution: another call has decided on its operation. */
    public void refuse(Refusal reason) {
        free();
        state = new Refused(reason);
    }

    /** Refuses the execution by an exception, which the caller throws. */
    public OperationRefusedException refuse(OperationRefusedException exception) {
        free();
        state = new Thrown(exception);
        return exception;
    }

    private void free() {
        Claim held = held();
        if (held != null) {
            held.rolledBack();
        }
    }

    /** If the operation failed because it was not new, refuses the execution. */
    private void findFailedEntry() {
        Refusal reason =
                state instanceof Part part ? part.transaction.failedEntry(part.claim, context.settleTimeout()) : null;
        if (reason != null) {
            refuse(reason);
        }
    }

    /** Returns why the operation is not applied by this call; null if it is, or if that was thrown. */
    public @Nullable Refusal refusal() {
        return state instanceof Refused refused ? refused.reason : null;
    }

    /** The transaction that the operation is part of; null if there is none, or none yet. */
    public @Nullable Transaction transaction() {
        return state instanceof Part part ? part.transaction : null;
    }

    /** Whether the operation is new still: its transaction has rolled back, or never took it. */
    public boolean isRolledBack() {
        return state instanceof Thrown || ended(End.ROLLED_BACK);
    }

    private boolean ended(End end) {
        return state instanceof Part part && part.transaction.end(part.claim) == end;
    }

    /** Whether the outcome is that of the caller's transaction, and not known yet when the method has returned. */
    public boolean followsCaller() {
        return state instanceof Part part
                && part.step != Step.NOT_ENTERED
                && part.transaction == context.caller()
                && !part.transaction.isCompleted()
                && ended(End.OPEN);
    }

    /**
     * Returns, once the transaction has ended, why the operation is not applied, or is applied though its caller has not learned that.
     *
     * @param failure what was thrown instead
     * @return null if the failure itself stands
     */
    public @Nullable Refusal settle(Throwable failure) {
        if (state instanceof Part part && part.step != Step.NOT_ENTERED) {
            Refusal settled = part.transaction.settle(part.claim, context.settleTimeout());
            if (settled != null) {
                return settled;
            }
        }
        return followsCaller() || ended(End.COMMITTED) ? null : context.unavailability(failure, transaction());
    }
}
