package dev.fbf.loadtest.torture.client;

import dev.fbf.process.Waiting;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Clients at work, each with one request at a time, or with two of the same operation. Thread-safe. */
public final class Fleet {

    private static final Duration STALL = Duration.ofMinutes(1);
    private static final Duration LONGEST_BURST = Duration.ofMillis(100);

    final Traffic traffic;
    final Operations operations;
    final History history;
    final int port;

    private final ScheduledThreadPoolExecutor clients;
    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong abandoned = new AtomicLong();
    private volatile double surge = 1;
    private volatile boolean beginning = true;

    private Fleet(Traffic traffic, Operations operations, History history, int port) {
        this.traffic = traffic;
        this.operations = operations;
        this.history = history;
        this.port = port;
        clients = new ScheduledThreadPoolExecutor(
                traffic.clients() + 1,
                work -> {
                    Thread thread = new Thread(work, "client");
                    thread.setDaemon(true);
                    return thread;
                },
                new DiscardPolicy());
    }

    /** Lets the clients begin, on a loopback port. What becomes of each operation is decided by the operations' seed. */
    public static Fleet start(Traffic traffic, Operations operations, History history, int port) {
        Fleet fleet = new Fleet(traffic, operations, history, port);
        fleet.clients.execute(fleet::begin);
        return fleet;
    }

    /** Begins operations at the given rate. After a pause it makes up for the last moment of it, and not for the rest. */
    private void begin() {
        long next = System.nanoTime();
        try {
            while (beginning) {
                TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
                if (unfinished.get() < traffic.clients() * traffic.unfinished()) {
                    unfinished.incrementAndGet();
                    Delivery delivery = new Delivery(this, history.beginOperation());
                    later(delivery, delivery.delayMillis());
                }
                long interval = (long) (1e9 / (surge * traffic.operationsPerSecond()));
                next = Math.max(next, System.nanoTime() - LONGEST_BURST.toNanos()) + interval;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void later(Delivery delivery, int millis) {
        Future<?> unused = clients.schedule(delivery, millis, TimeUnit.MILLISECONDS);
    }

    void wasAcknowledged() {
        acknowledged.incrementAndGet();
        unfinished.decrementAndGet();
    }

    void gaveUp() {
        abandoned.incrementAndGet();
        unfinished.decrementAndGet();
    }

    boolean isBeginning() {
        return beginning;
    }

    /** Waits for so many acknowledged operations, or until a minute has brought none. */
    public void awaitAcknowledged(long wanted) throws InterruptedException {
        boolean goesOn = true;
        while (goesOn && acknowledged.get() < wanted) {
            long before = acknowledged.get();
            goesOn = Waiting.until(() -> acknowledged.get() > before, STALL);
        }
    }

    public long acknowledged() {
        return acknowledged.get();
    }

    /** How many operations were given up, because their window was about to end. */
    public long abandoned() {
        return abandoned.get();
    }

    /** Lets several times as many operations begin, until {@link #calmDown()}. */
    public void surge() {
        surge = Traffic.SURGE;
    }

    public void calmDown() {
        surge = 1;
    }

    /**
     * Lets no operation begin any more, and waits until those that have begun are acknowledged.
     *
     * @param timeout how long; what is not acknowledged then never is
     * @return whether each was acknowledged, or given up
     */
    public boolean finish(Duration timeout) throws InterruptedException {
        beginning = false;
        boolean isFinished = Waiting.until(() -> unfinished.get() == 0, timeout);
        clients.shutdownNow();
        if (!clients.awaitTermination(STALL.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("the clients do not end");
        }
        return isFinished;
    }

    /**
     * What clients do.
     *
     * @param operationsPerSecond of all clients together, but in a surge
     * @param window within which after its first request an operation is the same
     * @param unfinished with so many operations to be resent for each client, no other begins
     */
    public record Traffic(int clients, double operationsPerSecond, Duration timeout, Duration window, int unfinished) {

        /** So many times as many operations begin in a surge. */
        static final double SURGE = 4;

        /** What a request may take from the client until it is read: longer than the proxies hold anything back. */
        private static final Duration LONGEST_ON_THE_WAY = Duration.ofSeconds(8);

        /** Shares of operations or requests. */
        static final double TWINS = 0.03;

        static final double REPLAYS = 0.05;
        static final double DELAYED = 0.03;
        static final double IMPATIENT = 0.01;
        static final double NEW_CONNECTION = 0.1;

        /** For how long after its first request an operation is resent, so that it arrives within its window. */
        Duration resent() {
            return window.minus(LONGEST_ON_THE_WAY);
        }
    }
}
