package dev.fbf.client;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.HttpMethod;

/**
 * What can be set about the client. Every property has a default that works. Not thread-safe: an interceptor or filter
 * takes the values, and checks their ranges, when it is made.
 */
@ConfigurationProperties("fbf.client")
public class FbfClientProperties {

    /** A token of RFC 9110, section 5.6.2. */
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Set<HttpMethod> UNSAFE =
            Set.of(HttpMethod.POST, HttpMethod.PATCH, HttpMethod.PUT, HttpMethod.DELETE);

    /** Whether all RestClients and WebClients that Spring Boot configures send keys, and all clients of Spring Cloud OpenFeign. */
    private boolean applyToAll = false;

    /** Name of the header that carries a request's key. */
    private String header = "Idempotency-Key";

    /** Methods whose requests carry a key and are retried: some of POST, PATCH, PUT and DELETE. */
    private Set<HttpMethod> methods = Set.of(HttpMethod.POST, HttpMethod.PATCH);

    /** Statuses, from 400 to 599, of responses that do not tell the outcome of the operation, after which it is sent again. */
    private Set<Integer> retriedStatuses = Set.of(409, 502, 503, 504);

    /** How often a request is sent at most, from 1. It is never sent again if this is 1. */
    private int maxAttempts = 5;

    /** Wait before the first retry, from 1 ms. It doubles with each further one, and varies at random by up to half of itself. */
    private Duration delay = Duration.ofMillis(200);

    /** Longest wait before a retry. A response whose Retry-After asks for more is returned to the caller. */
    private Duration maxDelay = Duration.ofSeconds(10);

    /** Age of a key up to which it is sent again. At most the server's window less what clocks may differ. */
    private Duration retryWindow = Duration.ofMinutes(9);

    /** Time since the first try after which a request is not sent again, whatever the other limits allow; not with Feign. No limit if not set. */
    private @Nullable Duration deadline;

    /**
     * Checks the ranges.
     *
     * @throws InvalidConfigurationPropertyValueException if a value is out of its range
     */
    ClientSettings settings() {
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
                "must not be less than fbf.client.delay, which is " + delay);
        check(
                retryWindow.compareTo(delay) > 0,
                "retry-window",
                retryWindow,
                "must be more than fbf.client.delay, which is " + delay);
        check(
                deadline == null || deadline.compareTo(delay) > 0,
                "deadline",
                deadline == null ? "" : deadline,
                "must be more than fbf.client.delay, which is " + delay
                        + "; fbf.client.max-attempts=1 sends nothing again");
        return new ClientSettings(
                header,
                Set.copyOf(methods),
                Set.copyOf(retriedStatuses),
                maxAttempts,
                delay,
                maxDelay,
                retryWindow,
                deadline);
    }

    private static void check(boolean fine, String property, Object value, String reason) {
        if (!fine) {
            throw new InvalidConfigurationPropertyValueException("fbf.client." + property, value, reason);
        }
    }

    public boolean isApplyToAll() {
        return applyToAll;
    }

    public void setApplyToAll(boolean applyToAll) {
        this.applyToAll = applyToAll;
    }

    public String getHeader() {
        return header;
    }

    public void setHeader(String header) {
        this.header = header;
    }

    public Set<HttpMethod> getMethods() {
        return methods;
    }

    public void setMethods(Set<HttpMethod> methods) {
        this.methods = methods;
    }

    public Set<Integer> getRetriedStatuses() {
        return retriedStatuses;
    }

    public void setRetriedStatuses(Set<Integer> retriedStatuses) {
        this.retriedStatuses = retriedStatuses;
    }

    public int getMaxAttempts() {
        return maxAttempts;
    }

    public void setMaxAttempts(int maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    public Duration getDelay() {
        return delay;
    }

    public void setDelay(Duration delay) {
        this.delay = delay;
    }

    public Duration getMaxDelay() {
        return maxDelay;
    }

    public void setMaxDelay(Duration maxDelay) {
        this.maxDelay = maxDelay;
    }

    public Duration getRetryWindow() {
        return retryWindow;
    }

    public void setRetryWindow(Duration retryWindow) {
        this.retryWindow = retryWindow;
    }

    public @Nullable Duration getDeadline() {
        return deadline;
    }

    public void setDeadline(@Nullable Duration deadline) {
        this.deadline = deadline;
    }
}
