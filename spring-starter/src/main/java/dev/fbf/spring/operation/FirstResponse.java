package dev.fbf.spring.operation;

import dev.fbf.db.Response;
import dev.fbf.spring.OperationObservationContext;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The first response to the request of an operation: produced by one call, and recorded for the retries. Used by one thread. */
public final class FirstResponse {

    /** Time for the thread that has applied the operation to produce the response: then the operation is in progress still. */
    private static final Duration PRODUCED = Duration.ofSeconds(2);

    private final PendingResponses pending;
    private final OperationGuard guard;
    private final Operation operation;
    private final @Nullable HttpRequest request;

    /** The response that this call produces and retries wait for; null before the operation is admitted, and if none is kept. */
    private @Nullable Awaited awaited;

    /**
     * @param request whose response it is; null if none is kept
     */
    FirstResponse(PendingResponses pending, OperationGuard guard, Operation operation, @Nullable HttpRequest request) {
        this.pending = pending;
        this.guard = guard;
        this.operation = operation;
        this.request = request;
    }

    /** A response that retries wait for, from before its operation is committed until it is kept, or will not be. */
    private record Awaited(
            HttpRequest request,
            AdmittedOperation operation,
            Consumer<Response> receiver,
            PendingResponses.Pending pending) {

        void complete(Response response) {
            if (!operation.isRolledBack()) {
                receiver.accept(response);
            }
            pending.complete();
        }
    }

    /** Lets retries wait for the response of an attempt. */
    public void begin(AdmittedOperation attempt) {
        end();
        Consumer<Response> receiver = request == null ? null : guard.responses(operation);
        if (request != null && receiver != null) {
            awaited = new Awaited(request, attempt, receiver, pending.begin(operation.id()));
        }
    }

    /** Lets retries continue that wait for the response, unless it is recorded. */
    public void end() {
        if (awaited != null) {
            awaited.pending().complete();
            awaited = null;
        }
    }

    /** Records the response where the operation was applied, and the response may be kept. */
    public void record() {
        Awaited response = awaited;
        if (response == null || response.operation().isRolledBack()) {
            return;
        }
        awaited = null;
        response.request().recordResponse(operation.id().toUuid(), status -> status < 500, response::complete);
    }

    /**
     * Replays the response, if it was kept.
     *
     * @param observed is told if the response is still being produced
     * @throws ReplayedResponseException with the response
     */
    public void replay(OperationObservationContext observed) {
        end();
        if (request == null) {
            return;
        }
        if (!pending.await(operation.id(), PRODUCED)) {
            throw observed.refused(Refusals.inProgress(guard.settings().scope()));
        }
        Response response = guard.response(operation);
        request.respondWith(HttpRequest.REPLAYED, "true");
        if (response != null) {
            throw new ReplayedResponseException(response);
        }
    }
}
