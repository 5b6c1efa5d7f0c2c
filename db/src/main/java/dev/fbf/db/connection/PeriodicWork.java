package dev.fbf.db.connection;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats a round of work on a daemon thread of its own until it is closed. A round that throws does not prevent the next one.
 * Thread-safe.
 */
public final class PeriodicWork implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PeriodicWork.class);

    private final Round round;
    private final Duration afterFailure;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();

    /** Guarded by the lock. */
    private boolean woken;

    private volatile boolean closed;
    private volatile Duration firstPause = Duration.ZERO;

    /** A part of the work. */
    public interface Round {
        /**
         * Does it.
         *
         * @param early whether it was {@linkplain PeriodicWork#wake() woken}
         * @return the pause until the next one
         */
        Duration run(boolean early) throws Exception;
    }

    /**
     * Creates the thread.
     *
     * @param afterFailure the pause after a round that has thrown
     */
    public PeriodicWork(String name, Duration afterFailure, Round round) {
        this.round = round;
        this.afterFailure = afterFailure;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /**
     * Starts the thread.
     *
     * @param pause the time until the first round
     */
    public void start(Duration pause) {
        firstPause = pause;
        thread.start();
    }

    /** Begins the next round at once, or when the present one ends; a round does not wake itself. */
    public void wake() {
        if (Thread.currentThread() != thread) {
            signal();
        }
    }

    private void signal() {
        lock.lock();
        try {
            woken = true;
            wake.signal();
        } finally {
            lock.unlock();
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Lets the present round be the last. Does not wait for it. */
    @Override
    public void close() {
        closed = true;
        signal();
    }

    /** Waits for the end of the last round; returns false if it takes longer. */
    public boolean awaitEnd(Duration timeout) {
        try {
            thread.join(timeout.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void run() {
        boolean early = pause(firstPause);
        while (!closed) {
            early = pause(round(early));
        }
    }

    private Duration round(boolean early) {
        try {
            return round.run(early);
        } catch (Throwable e) { // an OutOfMemoryError or LinkageError of one round need not be that of the next
            report(e);
            return afterFailure;
        }
    }

    private void report(Throwable e) {
        try {
            log.error("The thread {} has failed, and continues.", thread.getName(), e);
        } catch (Throwable another) {
            e.addSuppressed(another); // there may be no memory for a log line either
        }
    }

    /** Returns whether it was woken. */
    private boolean pause(Duration longest) {
        lock.lock();
        try {
            long left = longest.toNanos();
            while (!woken && left > 0) {
                left = wake.awaitNanos(left);
            }
            boolean wasWoken = woken;
            woken = false;
            return wasWoken;
        } catch (InterruptedException e) {
            return false; // only close() ends the thread
        } finally {
            lock.unlock();
        }
    }
}
