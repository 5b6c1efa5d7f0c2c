package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Response;
import dev.fbf.spring.OperationObservationContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Registry of first responses that this process is producing. Each is pending from before its operation's COMMIT until it is kept.
 * Thread-safe.
 */
final class PendingResponses {

    /** The time for producing a response after the operation was applied; after it, retries get 409. */
    private static final Duration PRODUCED = Duration.ofSeconds(2);

    private final Map<OperationId, Pending> byOperation = new ConcurrentHashMap<>();

    /** The response to the request of an execution. */
    final class Pending {

        private final Operation operation;
        private final Execution execution;
        private final @Nullable HttpRequest request;

        /** Receives the response; null if none is kept. */
        private final @Nullable Consumer<Response> receiver;

        private final Thread thread = Thread.currentThread();
        private final CountDownLatch completed = new CountDownLatch(1);

        private Pending(
                Operation operation,
                Execution execution,
                @Nullable HttpRequest request,
                @Nullable Consumer<Response> receiver) {
            this.operation = operation;
            this.execution = execution;
            this.request = request;
            this.receiver = receiver;
        }

        /** Records the response, and lets retries wait until it is kept. */
        void record() {
            if (request != null && receiver != null) {
                request.recordResponse(operation.id().toUuid(), response -> {
                    if (!execution.isRolledBack()) {
                        receiver.accept(response);
                    }
                    complete();
                });
            }
        }

        /** Ends the wait of retries, after the response was kept or could not be. */
        void complete() {
            byOperation.remove(operation.id(), this);
            completed.countDown();
        }
    }

    /**
     * Makes retries of an operation wait for its response, from before the operation's COMMIT.
     *
     * @param request the request of the response; null if none is kept
     */
    Pending begin(OperationGuard guard, Operation operation, @Nullable HttpRequest request, Execution execution) {
        KeptResponses responses = request == null ? null : guard.responses;
        Pending pending = new Pending(
                operation,
                execution,
                request,
                responses == null ? null : responses.of(guard.settings.scope(), operation.caller()));
        if (pending.receiver != null) {
            byOperation.put(operation.id(), pending);
        }
        return pending;
    }

    /**
     * Replays the response, if it was kept.
     *
     * @param request the request of the response; null if none is kept
     * @param observed receives the reason if the response is still being produced
     * @throws ReplayedResponseException with the response
     */
    void replay(
            OperationGuard guard,
            Operation operation,
            @Nullable HttpRequest request,
            OperationObservationContext observed) {
        if (request == null) {
            return;
        }
        if (!await(operation.id())) {
            throw observed.refused(Refusals.of(Refusal.IN_PROGRESS, guard.settings.scope(), null));
        }
        Response response = guard.response(operation);
        request.respondWith(HttpRequest.REPLAYED, "true");
        if (response != null) {
            throw new ReplayedResponseException(response);
        }
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
