package dev.fbf.spring;

import dev.fbf.core.guard.Refusal;
import java.time.Duration;

/** Waits for another request that is applying the same operation. */
final class Patience {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    private final Duration longest;

    Patience(Duration longest) {
        this.longest = longest;
    }

    /** Tries until the operation is not in progress, the time is over, or the thread is interrupted. */
    Attempt untilItEnds(Try next) throws Throwable {
        long deadline = System.nanoTime() + longest.toNanos();
        Duration pause = FIRST_PAUSE;
        for (; ; ) {
            Attempt attempt = next.attempt();
            long left = deadline - System.nanoTime();
            if (attempt.refusal() != Refusal.IN_PROGRESS || left <= 0 || !sleep(Math.min(left, pause.toNanos()))) {
                return attempt;
            }
            pause = pause.compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    private static boolean sleep(long nanos) {
        try {
            Thread.sleep(Duration.ofNanos(nanos).toMillis() + 1);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** One more attempt at the same operation. */
    @FunctionalInterface
    interface Try {
        Attempt attempt() throws Throwable;
    }
}
