package dev.fbf.db.connection;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dedicated daemon thread that repeats a round of work until it is closed. Consecutive failures with the same exception class and SQL state
 * are logged once. Thread-safe.
 */
public final class Background implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Background.class);

    private final String failure;
    private final Duration retry;
    private final Round round;
    private final Thread thread;

    private volatile boolean woken;
    private volatile boolean closed;
    private volatile Duration firstPause = Duration.ZERO;

    /** Exception class and SQL state of the last round's failure; null if it succeeded. */
    private @Nullable String cause;

    /** One round of the work. */
    public interface Round {
        /**
         * Runs a round.
         *
         * @param early whether the thread was {@linkplain Background#wake() woken}
         * @return the pause until the next round
         */
        Duration run(boolean early) throws Exception;
    }

    /**
     * Creates the thread.
     *
     * @param failure a description of the failure, for the log
     * @param retry the pause after a failure
     */
    public Background(String name, String failure, Duration retry, Round round) {
        this.failure = failure;
        this.retry = retry;
        this.round = round;
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

    /** Starts the next round immediately, or after the current one; a round does not wake itself. */
    public void wake() {
        if (Thread.currentThread() != thread) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Ends the thread after the current round, without waiting for it. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    /** Waits for the thread's end; returns false after the timeout or an interrupt. */
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

    /** Runs a round; returns the pause after it. */
    Duration round(boolean early) {
        try {
            Duration next = round.run(early);
            cause = null;
            return next;
        } catch (Throwable e) { // an OutOfMemoryError or LinkageError of one round may not recur in the next
            report(e);
            return retry;
        }
    }

    private void report(Throwable e) {
        try {
            String before = cause;
            cause = e.getClass().getName() + (e instanceof SQLException failed ? failed.getSQLState() : "");
            if (cause.equals(before)) {
                log.debug("A round of the thread {} failed again.", thread.getName(), e);
            } else if (e instanceof SQLException failed) {
                log.warn("{}: {}", failure, failed.toString());
            } else {
                log.error("{}: unexpected error in the thread {}; it continues.", failure, thread.getName(), e);
            }
        } catch (Throwable another) {
            e.addSuppressed(another); // logging may fail as well, for example for lack of memory
        }
    }

    /** Pauses; returns whether the thread was woken. */
    private boolean pause(Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (!woken && !closed && end - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, end - System.nanoTime());
            Thread.interrupted(); // only close() ends the thread
        }
        boolean wasWoken = woken;
        woken = false;
        return wasWoken;
    }
}
