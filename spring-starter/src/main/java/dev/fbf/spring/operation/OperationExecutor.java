package dev.fbf.spring.operation;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.connection.Pauses;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Executor that applies an operation once. It begins no transaction itself. Thread-safe. */
public final class OperationExecutor {

    /*
     * An operation is applied in two steps. This class takes the first one, before it needs a transaction: a retry costs none, and the
     * claim is taken before any change is made. The execution of the admitted operation takes the second step: it enters the operation in
     * a transaction, which is the caller's, that of a @Transactional method, or a new one.
     *
     * If the transaction has ended by the time the execution returns here, and its outcome is not known, the caller waits for it, up to a
     * timeout. The connection is free by then, even if the pool has only one.
     *
     * A call can wait for another call that is applying the same operation, even within a caller's transaction: a listener would give up
     * its batch after a few immediate refusals. The other call may need rows that this transaction has locked. Then both wait until the
     * timeout, this call is refused, and its transaction releases the rows by rolling back. A call never waits for
     * its own thread: for an operation that one of its transactions holds.
     */
    final OperationGuards guards;
    private final HttpRequests http;
    private final OperationObservations observations;
    private final PendingResponses responses;

    OperationExecutor(
            OperationGuards guards, HttpRequests http, OperationObservations observations, PendingResponses responses) {
        this.guards = guards;
        this.http = http;
        this.observations = observations;
        this.responses = responses;
    }

    /**
     * Applies the operation that a call of a guarded method requests, unless it was applied before.
     *
     * @param handlesRequests whether the response to the request is the method's, and is kept
     * @param naming resolves the operation of the thread's request, or of a call without one; null if the call has no key and needs none
     */
    public <T extends @Nullable Object, E extends Throwable> @Nullable T executeMethod(
            OperationSettings settings,
            boolean handlesRequests,
            Function<@Nullable HttpRequest, @Nullable Operation> naming,
            Execution.Attempt<T, E> attempt,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        return observations.observe(settings.scope(), observed -> {
            HttpRequest request = http.current();
            OperationGuard guard = guards.of(settings);
            Operation operation = guard.letsThrough() ? null : naming.apply(request);
            if (operation == null) {
                observed.outcome = OperationOutcome.KEYLESS;
                return attempt.apply(guard.begin(List.of()));
            }
            return apply(guard, List.of(operation), handlesRequests ? request : null, observed, attempt, onDuplicate);
        });
    }

    /**
     * Applies the increments of a key, unless they were applied before.
     *
     * @param admitting admits the operation
     * @param operation the operation of a program's key; null for a request's key
     * @param increments makes the increments
     * @param values the response to a duplicate of a program's key. For a request's key, the client gets the first response, or 204
     * @return the result of the increments, or the values
     */
    public <T extends @Nullable Object, E extends Throwable> @Nullable T increment(
            OperationSettings settings,
            OperationGuards admitting,
            IdempotencyKey key,
            @Nullable Operation operation,
            Execution.Attempt<T, E> increments,
            IdempotentScope.Work<T, E> values)
            throws E {
        return execute(
                settings,
                admitting,
                key,
                null,
                operation,
                increments,
                key instanceof RequestKey
                        ? () -> {
                            throw Refusals.duplicate(settings.scope());
                        }
                        : values);
    }

    /**
     * Applies an operation of a program, unless it was applied before.
     *
     * @param key the program's own key, or the request's key
     * @param caller replaces the request's caller; null for the request's caller, or for no particular caller
     * @param operation the operation of a program's key; null for a request's key
     * @return the result of the program, or of its replacement for duplicates
     */
    <T extends @Nullable Object, E extends Throwable> @Nullable T execute(
            OperationSettings settings,
            OperationGuards admitting,
            IdempotencyKey key,
            @Nullable String caller,
            @Nullable Operation operation,
            Execution.Attempt<T, E> program,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        return observations.observe(settings.scope(), observed -> {
            if (key instanceof RequestKey its) {
                return executeOfRequest(its, settings, admitting, caller, observed, program, onDuplicate);
            }
            OperationGuard guard = admitting.of(settings);
            if (guard.letsThrough()) {
                observed.outcome = OperationOutcome.KEYLESS;
                return program.apply(guard.begin(List.of()));
            }
            return apply(guard, List.of(requireNonNull(operation)), null, observed, program, onDuplicate);
        });
    }

    /**
     * Applies the new ones among the operations of a batch, in one transaction.
     *
     * @param work called with the new operations, unless there are none
     * @return the number of new operations; 0 also if the work marked its transaction rollback-only
     */
    <E extends Throwable> int executeAll(
            OperationSettings settings, List<Operation> operations, IdempotentScope.BatchWork<Operation, E> work)
            throws E {
        if (operations.isEmpty()) {
            return 0;
        }
        Integer applied = observations.<Integer, E>observe(settings.scope(), observed -> {
            OperationGuard guard = guards.of(settings);
            if (guard.letsThrough()) {
                observed.outcome = OperationOutcome.KEYLESS;
                return guard.begin(List.of()).<Integer, E>call(() -> {
                    work.run(operations);
                    return operations.size();
                });
            }
            guard.requireRoom(operations.size());
            Execution execution = this.<Execution, E>apply(
                    guard,
                    operations,
                    null,
                    observed,
                    its -> its.<Execution, E>call(() -> {
                        work.run(its.entered());
                        return its;
                    }),
                    () -> guard.begin(List.of()));
            return requireNonNull(execution).isRolledBack()
                    ? 0
                    : execution.entered().size();
        });
        return requireNonNull(applied);
    }

    /**
     * Applies an operation of a request's key, by the contract of annotated methods. Requires the request's own thread: operations of other
     * threads or requests would not be part of the client's response.
     */
    @SuppressWarnings("ReferenceEquality") // compared by identity: equal keys can belong to different requests
    private <T extends @Nullable Object, E extends Throwable> @Nullable T executeOfRequest(
            RequestKey key,
            OperationSettings settings,
            OperationGuards admitting,
            @Nullable String caller,
            OperationObservations.Context observed,
            Execution.Attempt<T, E> program,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        String scope = settings.scope();
        HttpRequest request = http.current();
        if (request == null || request.key() != key) {
            throw new IllegalStateException("scope=" + scope
                    + ": the key of a request was used by a thread that does not handle this request. The operation was"
                    + " not applied. Use it in the thread of its handler, or name a separate operation:"
                    + " IdempotencyKey.of(key.value()).");
        }
        try {
            OperationGuard guard = admitting.of(settings);
            Operation operation = new Operation(
                    scope, caller == null ? key.caller() : caller, key.value(), request.fingerprint(scope));
            OperationTransaction transaction = guard.transaction();
            boolean first = key.begin(scope, transaction);
            if (transaction != null
                    && transaction.holds(operation.id())) { // the call is a part of the operation's own work
                observed.outcome = OperationOutcome.PENDING;
                return program.apply(guard.begin(List.of()));
            }
            try {
                return apply(
                        guard,
                        List.of(operation),
                        first ? request : null,
                        observed,
                        execution -> {
                            key.use(execution);
                            return program.apply(execution);
                        },
                        onDuplicate);
            } catch (OperationInProgressException e) {
                if (observed.outcome != OperationOutcome.FAILED && guard.isHeldByThisThread(operation)) {
                    throw new IllegalStateException("scope=" + scope
                            + ": an enclosing call is already applying the request's operation, outside this call's"
                            + " transaction. This call applied nothing. Use another scope, or the transaction of the"
                            + " enclosing call.");
                }
                throw e;
            }
        } catch (Throwable failure) {
            key.failed();
            throw failure;
        }
    }

    /**
     * Applies the new ones among the operations of a call: all of them, or none. A batch has several, whose requests are not compared; all
     * other calls have one.
     *
     * @param request the request whose response is kept for retries; null if none is kept
     * @param observed receives the outcome, unless the result or a refusal shows it
     * @return the result of the work, or of its replacement for duplicates
     * @throws OperationRefusedException if the operation is not applied now, or its outcome is unknown
     * @throws E if the work throws it; the operation was not applied, unless the work joined the caller's transaction and that commits
     */
    private <T extends @Nullable Object, E extends Throwable> @Nullable T apply(
            OperationGuard guard,
            List<Operation> operations,
            @Nullable HttpRequest request,
            OperationObservations.Context observed,
            Execution.Attempt<T, E> attempt,
            IdempotentScope.Work<T, E> onDuplicate)
            throws E {
        Operation first = operations.get(0);
        if (operations.size() == 1) {
            observed.operation = first.id().toString();
        }
        Pauses pauses = new Pauses(guard.settings.waitInProgress(http.current() != null));
        for (; ; ) {
            List<Execution.Claimed> claimed = new ArrayList<>(operations.size());
            Refusal refusal = guard.admit(operations, claimed);
            if (refusal == null) {
                Execution execution = guard.begin(claimed);
                T result = responses.run(execution, guard, first, request, observed, attempt);
                refusal = execution.refusal();
                if (refusal == null) {
                    return result;
                }
            }
            if (refusal != Refusal.IN_PROGRESS
                    || operations.stream().anyMatch(guard::isHeldByThisThread)
                    || !pauses.pause()) {
                if (refusal != Refusal.APPLIED) {
                    throw Refusals.of(refusal, guard.settings.scope(), null);
                }
                if (!guard.recognizes(first)) {
                    throw Refusals.keyReused(guard.settings.scope());
                }
                responses.replay(guard, first, request, observed);
                return onDuplicate.run();
            }
        }
    }

    /** Returns the HTTP request that this thread handles; null if there is none. */
    public @Nullable HttpRequest request() {
        return http.current();
    }
}
