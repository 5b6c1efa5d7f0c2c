package dev.fbf.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.backoff.BackOffExecution;

/** When one request is sent again, if at all. For one request alone, and not safe to use by many threads at once. */
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
     * Milliseconds to wait before the next try.
     *
     * @param retryAfter what the server asked for, if it did
     * @return {@link BackOffExecution#STOP} if there is no next try: there were enough, the server asks for too long a
     *     wait, the key would be too old, or the deadline would have passed
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
