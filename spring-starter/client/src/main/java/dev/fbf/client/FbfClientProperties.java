package dev.fbf.client;

import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.HttpMethod;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Configuration properties of the client. Every property has a default that works. Interceptors and filters check the ranges when they are
 * created.
 *
 * @param applyToAll Whether all RestClients and WebClients that Spring Boot configures, and all Spring Cloud OpenFeign clients, send keys.
 * @param header Name of the header for a request's key.
 * @param methods HTTP methods whose requests get a key and are retried: any of POST, PATCH, PUT and DELETE.
 * @param retriedStatuses Response statuses that leave the outcome of the operation unknown, so that the request is
 *     retried.
 * @param maxAttempts Maximum number of attempts. With 1, requests are not retried.
 * @param delay Delay before the first retry, at least 1 ms. Doubles with each further retry, and varies at random by up to 50 percent.
 * @param maxDelay Maximum delay before a retry. A response whose Retry-After exceeds it is returned to the caller.
 * @param retryWindow Maximum age of a key for retries. At most the server's retry window less the allowed clock difference.
 * @param deadline Time since the first attempt after which a request is not retried, regardless of the other limits; not with Feign. No
 *     limit if not set.
 */
@ConfigurationProperties("fbf.client")
public record FbfClientProperties(
        @DefaultValue("false") boolean applyToAll,
        @DefaultValue("Idempotency-Key") String header,
        @DefaultValue({"POST", "PATCH"}) Set<HttpMethod> methods,
        @DefaultValue({"409", "502", "503", "504"}) Set<Integer> retriedStatuses,
        @DefaultValue("5") int maxAttempts,
        @DefaultValue("200ms") Duration delay,
        @DefaultValue("10s") Duration maxDelay,
        @DefaultValue("9m") Duration retryWindow,
        @Nullable Duration deadline) {

    private static final double MULTIPLIER = 2;

    private static final Set<HttpMethod> UNSAFE =
            Set.of(HttpMethod.POST, HttpMethod.PATCH, HttpMethod.PUT, HttpMethod.DELETE);

    /**
     * Validates the values.
     *
     * @return this
     * @throws InvalidConfigurationPropertyValueException if a value is out of its range
     */
    FbfClientProperties checked() {
        check(
                !methods.isEmpty() && UNSAFE.containsAll(methods),
                "methods",
                methods,
                "must be any of POST, PATCH, PUT and DELETE, in capitals");
        check(delay.toMillis() >= 1, "delay", delay, "must be at least 1 ms");
        return this;
    }

    private static void check(boolean fine, String property, Object value, String reason) {
        if (!fine) {
            throw new InvalidConfigurationPropertyValueException("fbf.client." + property, value, reason);
        }
    }

    /** Returns the pauses between attempts, before the server's Retry-After and the key's age are considered. */
    ExponentialBackOff backOff() {
        ExponentialBackOff backOff = new ExponentialBackOff(delay.toMillis(), MULTIPLIER);
        backOff.setJitter(delay.toMillis() / 2);
        backOff.setMaxInterval(maxDelay.toMillis());
        backOff.setMaxAttempts(maxAttempts - 1L);
        return backOff;
    }
}
