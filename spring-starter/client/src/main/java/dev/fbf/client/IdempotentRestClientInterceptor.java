package dev.fbf.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
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
        RetrySchedule schedule = new RetrySchedule(settings, keyOf(request));
        while (true) {
            long delay;
            try {
                ClientHttpResponse response = execution.execute(request, body);
                delay = delayAfter(response, schedule);
                if (delay == BackOffExecution.STOP) {
                    return response;
                }
                response.close();
            } catch (IOException e) {
                delay = schedule.nextDelay(Duration.ZERO);
                if (delay == BackOffExecution.STOP) {
                    throw e;
                }
            }
            pause(delay);
        }
    }

    private static long delayAfter(ClientHttpResponse response, RetrySchedule schedule) throws IOException {
        try {
            return schedule.delayAfter(response.getStatusCode().value(), response.getHeaders());
        } catch (IOException e) {
            response.close();
            throw e;
        }
    }

    private static void pause(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted before the next attempt");
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
}
