package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.process.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients of a test, each in a thread of its own. */
final class Clients implements AutoCloseable {

    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> working = new ArrayList<>();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private volatile boolean sending;

    /** What a client does, by its number. */
    interface Work {
        void send(int client) throws Exception;
    }

    void start(int count, Work work) {
        sending = true;
        for (int client = 0; client < count; client++) {
            int number = client;
            working.add(threads.submit(() -> {
                work.send(number);
                return null;
            }));
        }
    }

    /** True until {@link #finish}, for clients that send until then. */
    boolean isSending() {
        return sending;
    }

    /** Sends an operation until it is acknowledged. */
    void send(int port, String path, String key) throws InterruptedException {
        while (!Replica.acknowledges(port, path, key)) {
            pause();
        }
        acknowledged.incrementAndGet();
    }

    /** The pause of a client after a refusal. */
    static void pause() throws InterruptedException {
        Waiting.sleep(PAUSE);
    }

    int acknowledged() {
        return acknowledged.get();
    }

    void awaitAcknowledged(int count) throws InterruptedException {
        assertThat(Waiting.until(() -> acknowledged.get() >= count, LONG)).isTrue();
    }

    /** Stops the clients that ask {@link #isSending}, and waits for all. */
    void finish() throws Exception {
        sending = false;
        for (Future<?> all : working) {
            all.get();
        }
        working.clear();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
