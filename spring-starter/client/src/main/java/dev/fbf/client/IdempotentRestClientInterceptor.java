package dev.fbf.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.BackOffExecution;

/**
 * Interceptor that adds an idempotency key to the requests of a {@code RestClient}, and retries them with the same key while their outcome
 * is unknown.
 *
 * <pre>{@code
 * RestClient.builder().requestInterceptor(interceptor)
 * }</pre>
 *
 * <p>The key is, in this order, the one already in the request, that of {@link IdempotencyKeys}, or a new one. A request is retried after
 * an {@link IOException} (the connection failed, was lost or timed out) and after the statuses of
 * {@code fbf.client.retried-statuses}, with at most {@code fbf.client.max-attempts} attempts in all and while its key is younger
 * than {@code fbf.client.retry-window}. When these limits are reached, or a response demands a longer wait than
 * {@code fbf.client.max-delay}, or {@code fbf.client.deadline} would pass, the caller gets the last response or the last
 * exception, as without this interceptor. The calling thread waits between attempts. If it is interrupted, the request is not retried: an
 * {@link IOException} is thrown, and the thread stays interrupted.
 *
 * <p>Requests with other methods than {@code fbf.client.methods} pass unchanged. Once its status has arrived, a response counts as
 * received, even if its body is cut off.
 *
 * <p>Interceptors that are added after this one see every attempt; those before it see one request. Thread-safe.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 */
public final class IdempotentRestClientInterceptor implements ClientHttpRequestInterceptor {

    private final FbfClientProperties settings;

    /**
     * Creates the interceptor.
     *
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if a property is out of its
     *     range
     */
    public IdempotentRestClientInterceptor(FbfClientProperties properties) {
        settings = properties.checked();
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        if (!settings.methods().contains(request.getMethod())) {
            return execution.execute(request, body);
        }
        IdempotencyKey key = keyOf(request);
        RetryTemplate retries = new RetryTemplate(new RetriesWithoutOutcome(new RetrySchedule(settings, key)));
        try {
            return retries.execute(() -> response(execution.execute(request, body)));
        } catch (RetryException e) {
            return lastOf(e.getCause());
        }
    }

    private IdempotencyKey keyOf(HttpRequest request) {
        HttpHeaders headers = request.getHeaders();
        String sent = headers.getFirst(settings.header());
        if (sent != null) {
            return IdempotencyKey.sent(sent);
        }
        IdempotencyKey key = IdempotencyKeys.currentOrNew();
        key.useFor(request.getMethod().name(), request.getURI());
        headers.set(settings.header(), key.fieldValue());
        return key;
    }

    private ClientHttpResponse response(ClientHttpResponse response) throws IOException, NoOutcomeException {
        try {
            if (!settings.retriedStatuses().contains(response.getStatusCode().value())) {
                return response;
            }
        } catch (IOException e) {
            response.close();
            throw e;
        }
        throw new NoOutcomeException(response);
    }

    private static ClientHttpResponse lastOf(Throwable failure) throws IOException {
        if (failure instanceof NoOutcomeException e) {
            return e.response();
        }
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        throw (RuntimeException) failure;
    }

    /** A response that does not determine the outcome of the operation. */
    private static final class NoOutcomeException extends Exception {

        private static final long serialVersionUID = 1;

        private final transient ClientHttpResponse response;
        private boolean closed;

        NoOutcomeException(ClientHttpResponse response) {
            super(null, null, false, false);
            this.response = response;
        }

        @Nullable Duration retryAfter() {
            return RetryAfter.of(response.getHeaders(), Instant.now());
        }

        void close() {
            closed = true;
            response.close();
        }

        ClientHttpResponse response() throws InterruptedIOException {
            if (closed) {
                throw new InterruptedIOException("Interrupted before the next attempt");
            }
            return response;
        }
    }

    /** Policy that retries one request while its outcome is unknown. */
    private static final class RetriesWithoutOutcome implements RetryPolicy, BackOffExecution {

        private final RetrySchedule schedule;
        private @Nullable NoOutcomeException last;

        RetriesWithoutOutcome(RetrySchedule schedule) {
            this.schedule = schedule;
        }

        @Override
        public boolean shouldRetry(Throwable failure) {
            last = failure instanceof NoOutcomeException response ? response : null;
            return last != null || failure instanceof IOException;
        }

        @Override
        public BackOff getBackOff() {
            return () -> this;
        }

        @Override
        public long nextBackOff() {
            NoOutcomeException response = last;
            long delay = schedule.nextDelay(response == null ? null : response.retryAfter());
            if (response != null && delay != STOP) {
                response.close();
            }
            return delay;
        }
    }
}
