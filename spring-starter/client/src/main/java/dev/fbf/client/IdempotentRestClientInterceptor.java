package dev.fbf.client;

import static org.springframework.util.backoff.BackOffExecution.STOP;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Instant;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Gives the requests of a {@code RestClient} an idempotency key, and sends them again with the
 * same key until they are answered.
 *
 * <pre>{@code
 * RestClient.builder().requestInterceptor(interceptor)
 * }</pre>
 *
 * <p>The key is the one that the request carries already, or else that of {@link IdempotencyKeys}, or else a new one. A
 * request is sent again after an {@link IOException} (the connection failed, broke off or timed out) and after the
 * statuses of {@code fbf.client.retried-statuses}, up to {@code fbf.client.max-attempts} times in all and while its key
 * is younger than {@code fbf.client.retry-window}. When that is exhausted, or an answer asks for a longer wait than
 * {@code fbf.client.max-delay}, the caller gets the last answer or the last exception, as without this interceptor. The
 * calling thread waits in between; when it is interrupted, the request is not sent again: an {@link IOException} is thrown,
 * and the thread stays interrupted.
 *
 * <p>Requests with other methods than {@code fbf.client.methods} are left alone. An answer whose status has arrived
 * counts as an answer, also when its body breaks off.
 *
 * <p>Interceptors that are added after this one see every try; those before it see one request. Thread-safe.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 */
public final class IdempotentRestClientInterceptor implements ClientHttpRequestInterceptor {

    private final ClientSettings settings;

    /**
     * Takes the properties as they are now.
     *
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if one is out
     *     of its range
     */
    public IdempotentRestClientInterceptor(FbfClientProperties properties) {
        settings = properties.settings();
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
                if (delay == STOP) {
                    return response;
                }
                response.close();
            } catch (IOException e) {
                delay = Thread.currentThread().isInterrupted() ? STOP : schedule.nextDelay(null);
                if (delay == STOP) {
                    throw e;
                }
            }
            sleep(delay);
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

    private long delayAfter(ClientHttpResponse response, RetrySchedule schedule) throws IOException {
        try {
            return settings.retriedStatuses().contains(response.getStatusCode().value())
                    ? schedule.nextDelay(RetryAfter.of(response.getHeaders(), Instant.now()))
                    : STOP;
        } catch (IOException e) {
            response.close();
            throw e;
        }
    }

    private static void sleep(long millis) throws InterruptedIOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted before the next try");
        }
    }
}
