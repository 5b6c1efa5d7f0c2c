package dev.fbf.spring.operation;

import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.spring.IdempotencyKeyReusedException;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.admission.AdmittedOperation;
import dev.fbf.spring.admission.CallContext;
import dev.fbf.spring.admission.Operation;
import dev.fbf.spring.admission.OperationGuard;
import dev.fbf.spring.admission.OperationGuards;
import dev.fbf.spring.admission.Refusals;
import dev.fbf.spring.declaration.OperationSettings;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Applies an operation once, outside of every transaction of its own. Thread-safe. */
public final class OperationExecutor {

    /*
     * An operation is applied in two steps. This class takes the first one, before any transaction begins: a retry costs
     * neither a connection nor a transaction, and the claim is taken before there is anything to commit. The work that it
     * calls takes the second one, in the context of the admitted operation: that makes it part of a transaction, say: the
     * caller's, that of a @Transactional method, or one of its own.
     *
     * If the transaction has ended by the time the work returns here, and its outcome is not known, the caller waits until
     * that is settled. The connection is free by then, even if the pool has only one.
     *
     * A call waits for another one that is applying the same operation even within a caller's transaction: a listener's batch
     * that is refused at once is lost after a few attempts. The other may need what that transaction has locked. Then both
     * wait until the timeout, this call is refused, and its transaction makes way by rolling back. A call never waits for
     * its own thread: for an operation that one of its transactions holds.
     */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final OperationGuards guards;
    private final HttpRequests http;
    private final OperationObservations observations;
    private final Duration inProgressTimeout;

    /**
     * @param inProgressTimeout how long a call waits for another one that is applying the same operation
     */
    OperationExecutor(
            OperationGuards guards, HttpRequests http, OperationObservations observations, Duration inProgressTimeout) {
        this.guards = guards;
        this.http = http;
        this.observations = observations;
        this.inProgressTimeout = inProgressTimeout;
    }

    /**
     * Applies an operation of a program, unless it was applied before.
     *
     * @return what the work has returned, or what stands in for it
     */
    public <T, E extends Throwable> @Nullable T execute(
            OperationSettings settings,
            Operation operation,
            AdmittedOperation.Attempt<T, E> attempt,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        return observations.observe(settings.scope(), observed -> {
            OperationGuard guard = noting(observed, () -> guards.of(settings));
            return execute(guard, operation, observed, attempt, onDuplicate::run);
        });
    }

    /**
     * Applies an operation, unless it was applied before.
     *
     * @param observed is told the outcome where that is not what it seems
     * @return what the work has returned, or what stands in for it
     * @throws OperationRefusedException if it is not applied now, or that is not known
     * @throws E if the work has thrown that; then the operation was not applied, unless the work joined the caller's
     *     transaction and that commits
     */
    @SuppressWarnings("unchecked") // the result is what the work has returned
    public <T, E extends Throwable> @Nullable T execute(
            OperationGuard guard,
            Operation operation,
            OperationObservationContext observed,
            AdmittedOperation.Attempt<T, E> attempt,
            CallContext.Work<T, E> onDuplicate)
            throws E {
        noting(observed, () -> {
            guard.window().requireTime(operation.key());
            return true;
        });
        long deadline = System.nanoTime() + (guard.settings().waits() ? inProgressTimeout.toNanos() : 0);
        Duration pause = FIRST_PAUSE;
        for (; ; ) {
            Admission admission = noting(observed, () -> guard.admit(operation));
            Refusal refusal;
            if (admission instanceof Claim claim) {
                AdmittedOperation admitted = guard.begin(claim, operation);
                try {
                    refusal = admitted.apply(observed, attempt);
                } finally {
                    follow(admitted);
                }
                if (refusal == null) {
                    if (admitted.followsCaller()) {
                        observed.setOutcome(OperationOutcome.PENDING);
                    } else if (admitted.isRolledBack()) {
                        observed.setOutcome(OperationOutcome.FAILED);
                    }
                    return (T) admitted.result();
                }
            } else {
                refusal = (Refusal) admission;
            }
            long left = deadline - System.nanoTime();
            if (refusal != Refusal.IN_PROGRESS
                    || left <= 0
                    || guard.isHeldByThisThread(operation)
                    || !sleep(Math.min(left, pause.toNanos()))) {
                requireApplied(guard, operation, refusal, observed);
                return onDuplicate.run();
            }
            pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** Asks, and notes the refusal if that is the response. */
    private static <T> T noting(OperationObservationContext observed, Supplier<T> question) {
        try {
            return question.get();
        } catch (OperationRefusedException e) {
            throw observed.refused(e);
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

    /** What the work has thrown, too, may not be what becomes of its caller's transaction. */
    private void follow(AdmittedOperation admitted) {
        HttpRequest request = admitted.followsCaller() ? http.current() : null;
        if (request != null) {
            request.follow(admitted);
        }
    }

    private static void requireApplied(
            OperationGuard guard, Operation operation, Refusal refusal, OperationObservationContext observed) {
        String scope = guard.settings().scope();
        if (refusal != Refusal.APPLIED) {
            throw observed.refused(Refusals.of(refusal, scope, null));
        }
        if (!noting(observed, () -> guard.recognizes(operation))) {
            throw observed.refused(new IdempotencyKeyReusedException(scope));
        }
        observed.setOutcome(OperationOutcome.REPLAYED);
    }
}
