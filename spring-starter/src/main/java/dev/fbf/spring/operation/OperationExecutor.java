package dev.fbf.spring.operation;

import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.spring.IdempotencyKeyReusedException;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.declaration.OperationSettings;
import dev.fbf.spring.guard.Guards;
import dev.fbf.spring.guard.Operation;
import dev.fbf.spring.transaction.Enlistment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Applies an operation once, outside of every transaction of its own. Thread-safe. */
public final class OperationExecutor {

    /*
     * An operation is applied in two steps. This class takes the first one, before any transaction begins: a retry costs
     * neither a connection nor a transaction, and the claim is taken before there is anything to commit. The work that it
     * calls takes the second one: GuardedCall makes the operation part of a transaction: the caller's, that of a
     * @Transactional method, or one of its own. Both steps share the Enlistment.
     *
     * If the transaction has ended by the time the work returns here, and its outcome is not known, the caller waits until
     * that is settled. The connection is free by then, even if the pool has only one.
     */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final Guards guards;
    private final HttpRequests http;
    private final OperationObservations observations;
    private final Duration inProgressTimeout;

    /**
     * Makes one.
     *
     * @param inProgressTimeout how long a call waits for another one that is applying the same operation
     */
    OperationExecutor(
            Guards guards, HttpRequests http, OperationObservations observations, Duration inProgressTimeout) {
        this.guards = guards;
        this.http = http;
        this.observations = observations;
        this.inProgressTimeout = inProgressTimeout;
    }

    /** What an operation does: called again for another attempt, if the one before did nothing. */
    @FunctionalInterface
    public interface Work<T, E extends Throwable> {
        @Nullable T apply(Enlistment enlistment) throws E;
    }

    /**
     * Applies an operation of a program, unless it was applied before.
     *
     * @return what the work has returned, or what stands in for it
     */
    public <T, E extends Throwable> @Nullable T execute(
            OperationSettings settings, Operation operation, Work<T, E> work, IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        return observations.observe(settings.scope(), observed -> {
            try {
                guards.requireWithinWindow(settings, operation);
            } catch (OperationRefusedException e) {
                throw observed.refused(e);
            }
            Attempt<T> attempt = execute(settings, operation, observed, work);
            return attempt.refusal() == null ? attempt.result() : onDuplicate.run();
        });
    }

    /**
     * Applies an operation, unless it was applied before.
     *
     * @param observed is told the outcome where that is not what it seems
     * @return what the work has returned, or {@link Refusal#APPLIED}
     * @throws OperationRefusedException if it is not applied now, or that is not known
     * @throws E if the work has thrown that; then the operation was not applied, unless the work joined the caller's
     *     transaction and that commits
     */
    public <T, E extends Throwable> Attempt<T> execute(
            OperationSettings settings, Operation operation, OperationObservationContext observed, Work<T, E> work)
            throws E {
        boolean waits = settings.waits() && !TransactionSynchronizationManager.isActualTransactionActive();
        long deadline = System.nanoTime() + (waits ? inProgressTimeout.toNanos() : 0);
        Duration pause = FIRST_PAUSE;
        for (; ; ) {
            Attempt<T> attempt = attempt(settings, operation, observed, work);
            long left = deadline - System.nanoTime();
            if (attempt.refusal() != Refusal.IN_PROGRESS || left <= 0 || !sleep(Math.min(left, pause.toNanos()))) {
                return requireDecided(settings, operation, observed, attempt);
            }
            pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    private static boolean sleep(long nanos) {
        try {
            Thread.sleep(Duration.ofNanos(nanos).toMillis() + 1);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private <T, E extends Throwable> Attempt<T> attempt(
            OperationSettings settings, Operation operation, OperationObservationContext observed, Work<T, E> work)
            throws E {
        Admission admission = guards.admit(settings, operation);
        return admission instanceof Claim claim
                ? apply(guards.enlistment(settings, claim, operation), observed, work)
                : Attempt.refused((Refusal) admission);
    }

    private <T, E extends Throwable> Attempt<T> apply(
            Enlistment enlistment, OperationObservationContext observed, Work<T, E> work) throws E {
        T result;
        try {
            result = work.apply(enlistment);
        } catch (Throwable thrown) {
            Attempt<T> attempt = settle(enlistment, observed, thrown);
            if (attempt == null) {
                throw thrown;
            }
            return attempt;
        } finally {
            enlistment.freeUnlessEntered();
        }
        Refusal refusal = enlistment.refusal();
        if (refusal != null) {
            return Attempt.refused(refusal);
        }
        if (enlistment.followsCaller()) {
            observed.setOutcome(OperationOutcome.PENDING);
            http.follow(enlistment);
        }
        return Attempt.applied(result);
    }

    /**
     * Finds out what became of an operation whose work has thrown.
     *
     * @return null if what was thrown stands: it does, but where the work was done and only its COMMIT got no response
     */
    @SuppressWarnings("unchecked") // the result is what the work has returned
    private static <T> @Nullable Attempt<T> settle(
            Enlistment enlistment, OperationObservationContext observed, Throwable thrown) {
        enlistment.decide();
        Refusal settled = enlistment.settle();
        if (settled == Refusal.IN_DOUBT) {
            throw observed.refused(OperationUnavailableException.inDoubt(enlistment.scope(), thrown));
        }
        if (settled == Refusal.APPLIED && enlistment.hasReturned()) {
            return Attempt.applied((T) enlistment.result());
        }
        if (enlistment.spoiltTransaction()) {
            throw observed.refused(OperationUnavailableException.recovering(enlistment.scope(), thrown));
        }
        if (thrown == enlistment.thrown()) {
            observed.refused(enlistment.thrown());
        }
        Refusal refusal = enlistment.wasNotEntered() ? enlistment.refusal() : null;
        return refusal == null ? null : Attempt.refused(refusal);
    }

    private <T> Attempt<T> requireDecided(
            OperationSettings settings, Operation operation, OperationObservationContext observed, Attempt<T> attempt) {
        Refusal refusal = attempt.refusal();
        if (refusal == null) {
            return attempt;
        }
        if (refusal == Refusal.APPLIED && !guards.recognizes(settings, operation)) {
            throw observed.refused(new IdempotencyKeyReusedException(settings.scope()));
        }
        if (refusal != Refusal.APPLIED) {
            throw observed.refused(OperationRefusedException.of(refusal, settings.scope()));
        }
        observed.setOutcome(OperationOutcome.REPLAYED);
        return attempt;
    }
}
