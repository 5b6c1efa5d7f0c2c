package dev.fbf.spring;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;

/** A call on a thread of its own. */
public final class ConcurrentCall {

    private final CompletableFuture<String> result = new CompletableFuture<>();
    private final Thread thread;

    private ConcurrentCall(Callable<String> call) {
        thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
    }

    public static CompletableFuture<String> start(Callable<String> call) {
        ConcurrentCall started = new ConcurrentCall(call);
        started.thread.start();
        return started.result;
    }

    /** Returns once the call waits, or has returned. */
    public static CompletableFuture<String> startAndAwaitWaiting(Callable<String> call) {
        ConcurrentCall started = new ConcurrentCall(call);
        started.thread.start();
        Awaitility.await()
                .until(() -> started.thread.getState() == Thread.State.TIMED_WAITING || !started.thread.isAlive());
        return started.result;
    }
}
