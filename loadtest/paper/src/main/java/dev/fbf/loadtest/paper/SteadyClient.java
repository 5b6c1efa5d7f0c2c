package dev.fbf.loadtest.paper;

import java.util.SplittableRandom;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A client that sends operations at a steady rate, and each again until it knows that it was applied. */
final class SteadyClient {

    private static final int THREADS = 24;
    private static final int RETRY_MILLIS = 20;
    private static final int LATE_MILLIS = 5_000;

    private final CassandraCounter counter;
    private final String name;
    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(THREADS);
    private final AtomicInteger known = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();

    SteadyClient(CassandraCounter counter, String name) {
        this.counter = counter;
        this.name = name;
    }

    /**
     * Begins to send.
     *
     * @param retries the share of operations that are sent once more within 5 seconds, though they are known to be applied
     */
    @SuppressWarnings("FutureReturnValueIgnored") // what is sent does not throw
    void start(int operations, double perSecond, double retries, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < operations; i++) {
            String operation = name + " " + i;
            long at = Math.round(i * 1e3 / perSecond);
            threads.schedule(() -> send(operation), at, TimeUnit.MILLISECONDS);
            if (random.nextDouble() < retries) {
                threads.schedule(
                        () -> request(operation), at + 1_000 + random.nextInt(LATE_MILLIS), TimeUnit.MILLISECONDS);
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what is sent does not throw
    private void send(String operation) {
        if (request(operation)) {
            known.incrementAndGet();
        } else if (!threads.isShutdown()) {
            threads.schedule(() -> send(operation), RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private boolean request(String operation) {
        requests.incrementAndGet();
        return counter.send(operation);
    }

    int known() {
        return known.get();
    }

    int requests() {
        return requests.get();
    }

    /** Waits until nothing is left to be sent. */
    void finish() throws InterruptedException {
        while (!threads.getQueue().isEmpty() || threads.getActiveCount() > 0) {
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
        threads.shutdown();
    }
}
