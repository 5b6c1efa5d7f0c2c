package dev.fbf.client;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Mono;

/**
 * Filter that adds an idempotency key to the requests of a {@code WebClient}, and retries them with the same key while their outcome is
 * unknown. Delays between attempts block no thread.
 *
 * <pre>{@code
 * WebClient.builder().filter(filter)
 * }</pre>
 *
 * <p>The key is, in this order, the one already in the request, that of {@link ReactiveIdempotencyKeys}, that of {@link IdempotencyKeys} in
 * the subscribing thread, or a new one. A request is retried after a {@link WebClientRequestException}, an {@link IOException} or a
 * {@link TimeoutException}, and after the statuses of {@code fbf.client.retried-statuses}, with at most {@code fbf.client.max-attempts}
 * attempts in all and while its key is younger than {@code fbf.client.retry-window}. When these limits are reached, or a response demands a
 * longer wait than {@code fbf.client.max-delay}, or {@code fbf.client.deadline} would pass, the caller gets the last response or the last
 * exception, as without this filter.
 *
 * <p>The request's body is subscribed to once per attempt: use a value, or a publisher that can be subscribed to repeatedly. Requests with
 * other methods than {@code fbf.client.methods} pass unchanged. Once its status has arrived, a response counts as received, even if its body is cut off.
 *
 * <p>Filters that are added after this one see every attempt; those before it see one request. Thread-safe.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 */
public final class IdempotentWebClientFilter implements ExchangeFilterFunction {

    private final FbfClientProperties settings;

    /**
     * Creates the filter.
     *
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if a property is out of its
     *     range
     */
    public IdempotentWebClientFilter(FbfClientProperties properties) {
        settings = properties.checked();
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        if (!settings.methods().contains(request.method())) {
            return next.exchange(request);
        }
        String sent = request.headers().getFirst(settings.header());
        if (sent != null) {
            return exchange(request, next, IdempotencyKey.sent(sent));
        }
        IdempotencyKey ofThread = IdempotencyKeys.currentOrNew();
        return Mono.deferContextual(context -> {
            IdempotencyKey key =
                    context.<IdempotencyKey>getOrEmpty(IdempotencyKey.class).orElse(ofThread);
            key.useFor(request.method().name(), request.url());
            ClientRequest keyed = ClientRequest.from(request)
                    .header(settings.header(), key.fieldValue())
                    .build();
            return exchange(keyed, next, key);
        });
    }

    private Mono<ClientResponse> exchange(ClientRequest request, ExchangeFunction next, IdempotencyKey key) {
        return Mono.defer(() -> send(request, next, new RetrySchedule(settings, key)));
    }

    /** Sends a request. No exchange is canceled before the next attempt: that would release a response that the caller may be about to read. */
    private static Mono<ClientResponse> send(ClientRequest request, ExchangeFunction next, RetrySchedule schedule) {
        return Mono.defer(() -> next.exchange(request)).materialize().flatMap(signal -> {
            ClientResponse response = signal.get();
            long delay = response == null
                    ? delayAfter(signal.getThrowable(), schedule)
                    : schedule.delayAfter(
                            response.statusCode().value(), response.headers().asHttpHeaders());
            if (delay == BackOffExecution.STOP) {
                return Mono.just(signal).<ClientResponse>dematerialize();
            }
            Mono<Void> released =
                    response == null ? Mono.empty() : response.releaseBody().onErrorComplete();
            return released.then(Mono.delay(Duration.ofMillis(delay)))
                    .then(Mono.defer(() -> send(request, next, schedule)));
        });
    }

    private static long delayAfter(@Nullable Throwable failure, RetrySchedule schedule) {
        boolean isWithoutOutcome = failure instanceof WebClientRequestException
                || failure instanceof IOException
                || failure instanceof TimeoutException;
        return isWithoutOutcome ? schedule.nextDelay(Duration.ZERO) : BackOffExecution.STOP;
    }
}
