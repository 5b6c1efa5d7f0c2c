package dev.fbf.loadtest.torture.client;

import dev.fbf.loadtest.harness.process.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Clients at work, each with a thread of its own. Thread-safe. */
public final class Fleet {

    private static final Duration STALL = Duration.ofMinutes(1);
    private static final Duration LONGEST_BURST = Duration.ofMillis(100);

    final Traffic traffic;
    final Operations operations;
    final History history;
    final int port;
    final LongAdder begun = new LongAdder();
    final LongAdder acknowledged = new LongAdder();
    final LongAdder abandoned = new LongAdder();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong nextOperation = new AtomicLong(System.nanoTime());
    private volatile double surge = 1;
    private volatile boolean beginning = true;
    private volatile boolean ended;

    private Fleet(Traffic traffic, Operations operations, History history, int port) {
        this.traffic = traffic;
        this.operations = operations;
        this.history = history;
        this.port = port;
    }

    /** Lets the clients begin, on a loopback port. What they do is decided by the operations' seed. */
    public static Fleet start(Traffic traffic, Operations operations, History history, int port) {
        Fleet fleet = new Fleet(traffic, operations, history, port);
        SplittableRandom random = new SplittableRandom(operations.seed());
        for (int number = 0; number < traffic.clients(); number++) {
            Client client = new Client(fleet, number, history.newLog(), random.split());
            Thread thread = new Thread(client, "client-" + number);
            thread.setDaemon(true);
            fleet.threads.add(thread);
        }
        fleet.threads.forEach(Thread::start);
        return fleet;
    }

    public long begun() {
        return begun.sum();
    }

    public long acknowledged() {
        return acknowledged.sum();
    }

    /** Waits for so many acknowledged operations, or until a minute has brought none. */
    public void awaitAcknowledged(long wanted) throws InterruptedException {
        boolean goesOn = true;
        while (goesOn && acknowledged() < wanted) {
            long before = acknowledged();
            goesOn = Waiting.until(() -> acknowledged() > before, STALL);
        }
    }

    /** How many operations were given up, because their window was about to end. */
    public long abandoned() {
        return abandoned.sum();
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
     */
    public void finish(Duration timeout) throws InterruptedException {
        beginning = false;
        threads.forEach(LockSupport::unpark);
        long deadline = System.nanoTime() + timeout.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        }
        ended = true;
        threads.forEach(LockSupport::unpark);
        for (Thread thread : threads) {
            thread.join(traffic.timeout().toMillis() * 10);
            if (thread.isAlive()) {
                throw new IllegalStateException(thread.getName() + " does not end");
            }
        }
    }

    boolean isBeginning() {
        return beginning;
    }

    boolean hasEnded() {
        return ended;
    }

    /** How long it is until {@link #takeTurn} can return true. */
    long nanosUntilTurn() {
        return nextOperation.get() - System.nanoTime();
    }

    /** Tells whether it is time for one more operation; if so, the next will be later. */
    boolean takeTurn() {
        long now = System.nanoTime();
        long next = nextOperation.get();
        long interval = (long) (1e9 / (surge * traffic.operationsPerSecond()));
        return next - now <= 0
                && nextOperation.compareAndSet(next, Math.max(next, now - LONGEST_BURST.toNanos()) + interval);
    }

    /**
     * What clients do.
     *
     * @param operationsPerSecond of all clients together, but in a surge
     * @param window within which after its first request an operation is the same
     * @param unfinished with so many operations to be resent, a client begins no other
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

        /** How long a client that is told to come again waits at most, whatever it is told. */
        static final Duration LONGEST_RETRY_AFTER = Duration.ofMillis(250);

        public Traffic(int clients, double operationsPerSecond, Duration timeout, Duration window) {
            this(clients, operationsPerSecond, timeout, window, 64);
        }

        /** For how long after its first request an operation is resent, so that it arrives within its window. */
        Duration resent() {
            return window.minus(LONGEST_ON_THE_WAY);
        }
    }
}
