package dev.fbf.client;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.util.backoff.ExponentialBackOff;

/** What the properties said when a client was made; see {@link FbfClientProperties}. */
record ClientSettings(
        String header,
        Set<HttpMethod> methods,
        Set<Integer> retriedStatuses,
        int maxAttempts,
        Duration delay,
        Duration maxDelay,
        Duration retryWindow,
        @Nullable Duration deadline) {

    private static final double MULTIPLIER = 2;

    /** How long to wait, without regard to what the server asks for and to the key's age. */
    ExponentialBackOff backOff() {
        ExponentialBackOff backOff = new ExponentialBackOff(delay.toMillis(), MULTIPLIER);
        backOff.setJitter(delay.toMillis() / 2);
        backOff.setMaxInterval(maxDelay.toMillis());
        backOff.setMaxAttempts(maxAttempts - 1L);
        return backOff;
    }
}
