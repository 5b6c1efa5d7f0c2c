package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Responses that this process is producing, from before their operations are committed until they are kept. Thread-safe. */
public final class PendingResponses {

    PendingResponses() {}

    private final Map<OperationId, Pending> byOperation = new ConcurrentHashMap<>();

    /** A response that is being produced. */
    final class Pending {

        private final OperationId operation;
        private final Thread thread = Thread.currentThread();
        private final CountDownLatch completed = new CountDownLatch(1);

        private Pending(OperationId operation) {
            this.operation = operation;
        }

        /** Ends the wait of retries: the response is kept, or will not be. */
        void complete() {
            byOperation.remove(operation, this);
            completed.countDown();
        }
    }

    /**
     * Returns the first response to the request of an operation.
     *
     * @param request whose response it is; null if none is kept
     */
    public FirstResponse to(OperationGuard guard, Operation operation, @Nullable HttpRequest request) {
        return new FirstResponse(this, guard, operation, request);
    }

    /** Lets retries of an operation wait for its response; begins before the operation is committed. */
    Pending begin(OperationId operation) {
        Pending pending = new Pending(operation);
        byOperation.put(operation, pending);
        return pending;
    }

    /**
     * Waits until the response to an operation is complete. A thread does not wait for a response of its own.
     *
     * @return false if that takes longer
     */
    boolean await(OperationId operation, Duration timeout) {
        Pending pending = byOperation.get(operation);
        if (pending == null || pending.thread == Thread.currentThread()) {
            return true;
        }
        try {
            return pending.completed.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
