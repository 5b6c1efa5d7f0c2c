package dev.fbf.db.connection;

import java.time.Duration;

/** Pauses of a caller that asks again until a timeout: about 5 ms at first, then doubled up to about 100 ms. Confined to a thread. */
public final class Pauses {

    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(100);

    private final long deadline;
    private Duration next = FIRST;

    /** @param timeout the longest wait, from now on */
    public Pauses(Duration timeout) {
        deadline = System.nanoTime() + timeout.toNanos();
    }

    /**
     * Pauses, at most until the timeout.
     *
     * @return false if the timeout has passed already, or the thread is interrupted and stays so
     */
    public boolean pause() {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        try {
            Thread.sleep(Duration.ofNanos(Math.min(left, next.toNanos())).toMillis() + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
        return true;
    }
}
