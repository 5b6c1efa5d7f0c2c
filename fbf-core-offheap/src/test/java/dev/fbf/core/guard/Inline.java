package dev.fbf.core.guard;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs each task in the thread that brings it, or none at all. */
final class Inline extends ThreadPoolExecutor {

    private final boolean runs;

    Inline(boolean runs) {
        super(0, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>());
        this.runs = runs;
    }

    @Override
    public void execute(Runnable task) {
        if (runs) {
            task.run();
        }
    }
}
