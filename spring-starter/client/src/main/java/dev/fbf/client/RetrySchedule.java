package dev.fbf.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.backoff.BackOffExecution;

/** Schedule of the attempts of one request. Not thread-safe. */
final class RetrySchedule {

    private final FbfClientProperties settings;
    private final IdempotencyKey key;
    private final BackOffExecution backOff;
    private final long begun = System.nanoTime();

    RetrySchedule(FbfClientProperties settings, IdempotencyKey key) {
        this.settings = settings;
        this.key = key;
        this.backOff = settings.backOff().start();
    }

    /**
     * Returns the delay before the next attempt, in milliseconds.
     *
     * @param retryAfter the wait that the server requested; null if it did not
     * @return {@link BackOffExecution#STOP} if there is no next attempt: the maximum is reached, the server requests too long a wait, the
     *     key would be too old, or the deadline would have passed
     */
    long nextDelay(@Nullable Duration retryAfter) {
        long delay = backOff.nextBackOff();
        if (delay == BackOffExecution.STOP) {
            return BackOffExecution.STOP;
        }
        if (retryAfter != null) {
            if (retryAfter.compareTo(settings.maxDelay()) > 0) {
                return BackOffExecution.STOP;
            }
            delay = Math.max(delay, retryAfter.toMillis());
        }
        Duration deadline = settings.deadline();
        if (deadline != null
                && System.nanoTime() - begun + Duration.ofMillis(delay).toNanos() >= deadline.toNanos()) {
            return BackOffExecution.STOP;
        }
        boolean inTime = key.age().plusMillis(delay).compareTo(settings.retryWindow()) < 0;
        return inTime ? delay : BackOffExecution.STOP;
    }
}
