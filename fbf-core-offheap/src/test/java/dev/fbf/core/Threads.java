package dev.fbf.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Many threads that do the same at the same time. */
public final class Threads {

    private static final int MOST_SECONDS = 60;

    private Threads() {}

    public interface Work {

        void run(int thread) throws Exception;
    }

    /** Returns when all are done; fails if one of them does, or hangs. */
    public static void run(int threads, Work work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                running.add(executor.submit((Callable<?>) () -> {
                    start.await();
                    work.run(thread);
                    return true;
                }));
            }
            for (Future<?> future : running) {
                future.get(MOST_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
