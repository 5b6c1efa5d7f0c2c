package dev.fbf.core.witness;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs each task in the thread that brings it, or only when it is told to. */
final class Inline extends ThreadPoolExecutor {

    private final boolean runs;
    private Runnable last = () -> {};

    Inline(boolean runs) {
        super(0, 1, 0, TimeUnit.SECONDS, new SynchronousQueue<>());
        this.runs = runs;
    }

    @Override
    public void execute(Runnable task) {
        last = task;
        if (runs) {
            runLast();
        }
    }

    void runLast() {
        last.run();
    }
}
