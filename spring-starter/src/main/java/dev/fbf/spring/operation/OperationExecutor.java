package dev.fbf.spring.operation;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
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
    private final PendingResponses pending;

    OperationExecutor(
            OperationGuards guards, HttpRequests http, OperationObservations observations, PendingResponses pending) {
        this.guards = guards;
        this.http = http;
        this.observations = observations;
        this.pending = pending;
    }

    /** What a program does for an operation, in the context of that. */
    @FunctionalInterface
    public interface Program<T, E extends Throwable> {
        @Nullable T run(CallContext context) throws E;
    }

    /** Applies an operation of a program, as {@link #execute(OperationSettings, Supplier, OperationName, Program, IdempotentScope.Work)}. */
    public <T, E extends Throwable> @Nullable T execute(
            OperationSettings settings,
            OperationName name,
            Program<T, E> program,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        return execute(settings, () -> guards.of(settings), name, program, onDuplicate);
    }

    /**
     * Applies an operation of a program, unless it was applied before.
     *
     * @param guard admits the operation
     * @return what the program has returned, or what stands in for it
     */
    public <T, E extends Throwable> @Nullable T execute(
            OperationSettings settings,
            Supplier<OperationGuard> guard,
            OperationName name,
            Program<T, E> program,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        return observations.observe(
                settings.scope(),
                observed -> name.key() instanceof RequestKey key
                        ? executeOfRequest(key, settings.scope(), guard, name, observed, program, onDuplicate)
                        : execute(
                                noting(observed, guard),
                                name.ofProgram(settings.scope()),
                                observed,
                                program::run,
                                onDuplicate::run));
    }

    /** The contract of annotated methods, within the handler. */
    private <T, E extends Throwable> @Nullable T executeOfRequest(
            RequestKey key,
            String scope,
            Supplier<OperationGuard> guards,
            OperationName name,
            OperationObservationContext observed,
            Program<T, E> program,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        HttpRequest request = requestOf(key, scope);
        request.reached();
        try {
            OperationGuard guard = noting(observed, guards);
            Operation operation = name.ofRequest(scope, key, request);
            boolean first = key.begin(scope, guard.transaction());
            if (guard.isInTransaction(operation)) { // this is more of its work
                observed.setOutcome(OperationOutcome.PENDING);
                return program.run(guard.unguarded());
            }
            return execute(guard, operation, observed, key, first ? request : null, program, onDuplicate);
        } catch (OperationRefusedException | ReplayedResponseException e) {
            if (observed.getOutcome() != null && key.decision() == null) { // else that of a call within the program
                key.decide(e);
            }
            key.failed();
            throw e;
        } catch (Throwable failure) {
            key.failed();
            throw failure;
        }
    }

    private <T, E extends Throwable> @Nullable T execute(
            OperationGuard guard,
            Operation operation,
            OperationObservationContext observed,
            RequestKey key,
            @Nullable HttpRequest request,
            Program<T, E> program,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        FirstResponse response = pending.to(guard, operation, request);
        try {
            T result = execute(
                    guard,
                    operation,
                    observed,
                    attempt -> {
                        key.use(attempt);
                        response.begin(attempt);
                        return program.run(attempt);
                    },
                    () -> {
                        response.replay(observed);
                        return onDuplicate.run();
                    });
            response.record();
            return result;
        } catch (OperationInProgressException e) {
            if (observed.getOutcome() == OperationOutcome.IN_PROGRESS && guard.isHeldByThisThread(operation)) {
                throw key.decide(
                        new IllegalStateException(
                                "scope=" + guard.settings().scope()
                                        + ": a call that this one is part of is applying the operation of the request already, outside of the transaction of"
                                        + " this call. Nothing was applied now. Use another scope, or the transaction of that call."));
            }
            throw e;
        } finally {
            response.end();
        }
    }

    /** What a thread or another request does with the key would be no part of the response that the client gets. */
    @SuppressWarnings("ReferenceEquality") // the same key of another request is equal
    private HttpRequest requestOf(RequestKey key, String scope) {
        HttpRequest request = http.current();
        if (request == null || request.key() != key) {
            throw new IllegalStateException("scope=" + scope
                    + ": the key of a request was used by a thread that does not serve this request. Nothing was applied. Use it in the"
                    + " thread of its handler, or name an operation of its own: IdempotencyKey.of(key.value()).");
        }
        return request;
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
        long deadline = System.nanoTime() + guard.settings().waitInProgress().toNanos();
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
            throw observed.refused(Refusals.keyReused(scope));
        }
        observed.setOutcome(OperationOutcome.REPLAYED);
    }
}
