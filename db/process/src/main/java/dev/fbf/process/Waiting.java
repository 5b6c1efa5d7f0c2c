package dev.fbf.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Polling of a condition. */
public final class Waiting {

    private static final Duration POLL = Duration.ofMillis(5);

    private Waiting() {}

    /** Something to wait for. */
    @FunctionalInterface
    public interface Condition<E extends Exception> {
        boolean holds() throws E, InterruptedException;
    }

    /** Waits until a condition holds; returns whether it did in time. */
    public static <E extends Exception> boolean until(Condition<E> condition, Duration time)
            throws E, InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            sleep(POLL);
        }
        return true;
    }

    public static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
