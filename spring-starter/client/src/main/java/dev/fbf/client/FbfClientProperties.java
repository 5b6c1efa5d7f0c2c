package dev.fbf.client;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.HttpMethod;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * What can be set about the client. Every property has a default that works. An interceptor or filter checks the ranges when it is made.
 *
 * @param applyToAll Whether all RestClients and WebClients that Spring Boot configures send keys, and all clients of Spring Cloud
 *     OpenFeign.
 * @param header Name of the header that carries a request's key.
 * @param methods Methods whose requests carry a key and are retried: some of POST, PATCH, PUT and DELETE.
 * @param retriedStatuses Statuses, from 400 to 599, of responses that do not tell the outcome of the operation, after which it is
 *     sent again.
 * @param maxAttempts How often a request is sent at most, from 1. It is never sent again if this is 1.
 * @param delay Wait before the first retry, from 1 ms. It doubles with each further one, and varies at random by up to half of itself.
 * @param maxDelay Longest wait before a retry. A response whose Retry-After asks for more is returned to the caller.
 * @param retryWindow Age of a key up to which it is sent again. At most the server's window less what clocks may differ.
 * @param deadline Time since the first try after which a request is not sent again, whatever the other limits allow; not with Feign. No
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

    /** A token of RFC 9110, section 5.6.2. */
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Set<HttpMethod> UNSAFE =
            Set.of(HttpMethod.POST, HttpMethod.PATCH, HttpMethod.PUT, HttpMethod.DELETE);

    /**
     * Checks the ranges.
     *
     * @return this
     * @throws InvalidConfigurationPropertyValueException if a value is out of its range
     */
    FbfClientProperties checked() {
        check(
                HEADER_NAME.matcher(header).matches(),
                "header",
                header,
                "must be the name of a header, such as Idempotency-Key");
        check(
                !methods.isEmpty() && UNSAFE.containsAll(methods),
                "methods",
                methods,
                "must be some of POST, PATCH, PUT and DELETE, in capitals");
        check(
                retriedStatuses.stream().allMatch(status -> status >= 400 && status <= 599),
                "retried-statuses",
                retriedStatuses,
                "must be from 400 to 599");
        check(maxAttempts >= 1, "max-attempts", maxAttempts, "must be at least 1");
        check(delay.toMillis() >= 1, "delay", delay, "must be at least 1 ms");
        check(
                maxDelay.compareTo(delay) >= 0,
                "max-delay",
                maxDelay,
                "must not be less than fbf.client.delay, which is " + delay.toMillis() + " ms");
        check(
                retryWindow.compareTo(delay) > 0,
                "retry-window",
                retryWindow,
                "must be more than fbf.client.delay, which is " + delay.toMillis() + " ms");
        check(
                deadline == null || deadline.compareTo(delay) > 0,
                "deadline",
                deadline == null ? "" : deadline,
                "must be more than fbf.client.delay, which is " + delay.toMillis() + " ms"
                        + "; fbf.client.max-attempts=1 sends nothing again");
        return this;
    }

    private static void check(boolean fine, String property, Object value, String reason) {
        if (!fine) {
            throw new InvalidConfigurationPropertyValueException("fbf.client." + property, value, reason);
        }
    }

    /** The pauses between attempts, before the server's Retry-After and the key's age are considered. */
    ExponentialBackOff backOff() {
        ExponentialBackOff backOff = new ExponentialBackOff(delay.toMillis(), MULTIPLIER);
        backOff.setJitter(delay.toMillis() / 2);
        backOff.setMaxInterval(maxDelay.toMillis());
        backOff.setMaxAttempts(maxAttempts - 1L);
        return backOff;
    }
}
