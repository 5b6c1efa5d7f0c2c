package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.dialect.Response;
import dev.fbf.spring.OperationOutcome;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Registry of first responses that this process is producing. Each is pending from before its operation's COMMIT until it is kept or
 * dropped. Thread-safe.
 */
final class PendingResponses {

    /** Longest wait of a retry for a response that is still being produced; then the retry gets 409. */
    private static final Duration PRODUCED = Duration.ofSeconds(2);

    private final Map<OperationId, Pending> byOperation = new ConcurrentHashMap<>();

    private final HttpRequests http;
    private final @Nullable RecentResponses store;

    /** Response that a thread produces. */
    private record Pending(Thread thread, CountDownLatch completed) {}

    /** @param store the store for guards that do not keep responses themselves; null if none are kept there */
    PendingResponses(HttpRequests http, @Nullable RecentResponses store) {
        this.http = http;
        this.store = store;
    }

    /**
     * Runs an execution, and keeps the response to its request if the operation is applied. Retries of the operation wait for the response,
     * from before the operation's COMMIT.
     *
     * @param request the request of the response; null if none is kept
     */
    <T extends @Nullable Object, E extends Throwable> @Nullable T run(
            Execution execution,
            OperationGuard guard,
            Operation operation,
            @Nullable HttpRequest request,
            OperationObservations.Context observed,
            Execution.Attempt<T, E> attempt)
            throws E {
        boolean isKept = request != null && (store != null || guard.keepsResponses());
        Pending pending = new Pending(Thread.currentThread(), new CountDownLatch(1));
        boolean isRecorded = false;
        try {
            if (isKept) {
                byOperation.put(operation.id(), pending);
            }
            T result = execution.run(observed, attempt);
            if (request != null && isKept && execution.refusal() == null && !execution.isRolledBack()) {
                request.recordResponse(operation.id().toUuid(), response -> {
                    if (!execution.isRolledBack()) {
                        keep(guard, response);
                    }
                    complete(operation, pending);
                });
                isRecorded = true;
            }
            return result;
        } finally {
            if (!isRecorded) {
                complete(operation, pending);
            }
            // the caller's transaction can commit even if this call failed
            HttpRequest current = execution.followsCaller() ? http.current() : null;
            if (current != null) {
                current.follow(execution);
            }
        }
    }

    /** Ends the wait of retries, after the response was kept or could not be. */
    private void complete(Operation operation, Pending pending) {
        byOperation.remove(operation.id(), pending);
        pending.completed.countDown();
    }

    private void keep(OperationGuard guard, Response response) {
        if (guard.keepsResponses()) {
            guard.keep(response);
        } else if (store != null) {
            store.keep(response);
        }
    }

    /** Returns the response to the request of an applied operation; null if it was not kept, or is no longer kept. */
    @Nullable Response find(OperationGuard guard, Operation operation) {
        if (guard.keepsResponses()) {
            return guard.response(operation);
        }
        return store == null ? null : store.find(operation);
    }

    /**
     * Replays the response, if it was kept.
     *
     * @param request the request of the response; null if none is kept
     * @param observed receives the outcome, unless the response is still being produced, which refuses the retry
     * @throws ReplayedResponseException with the response
     */
    void replay(
            OperationGuard guard,
            Operation operation,
            @Nullable HttpRequest request,
            OperationObservations.Context observed) {
        if (request != null && !await(operation.id())) {
            throw Refusals.of(Refusal.IN_PROGRESS, guard.settings.scope(), null);
        }
        observed.outcome = OperationOutcome.REPLAYED;
        if (request == null) {
            return;
        }
        Response response = find(guard, operation);
        if (response != null) {
            throw new ReplayedResponseException(response);
        }
        request.replayed();
    }

    /**
     * Waits at most {@link #PRODUCED} for the response to an operation; returns false on a timeout or an interrupt. A thread does not wait
     * for its own response.
     */
    private boolean await(OperationId operation) {
        Pending pending = byOperation.get(operation);
        if (pending == null || pending.thread == Thread.currentThread()) {
            return true;
        }
        try {
            return pending.completed.await(PRODUCED.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
