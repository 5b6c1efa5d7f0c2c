package dev.fbf.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Gives the requests of a {@code WebClient} an idempotency key, and sends them again with the same key until they are
 * completed. No thread waits in between.
 *
 * <pre>{@code
 * WebClient.builder().filter(filter)
 * }</pre>
 *
 * <p>The key is the one that the request carries already, or else that of {@link ReactiveIdempotencyKeys}, or else that of
 * {@link IdempotencyKeys} in the thread that subscribes, or else a new one. A request is sent again after a
 * {@link WebClientRequestException}, an {@link IOException} or a {@link TimeoutException}, and after the statuses of
 * {@code fbf.client.retried-statuses}, up to {@code fbf.client.max-attempts} times in all and while its key is younger
 * than {@code fbf.client.retry-window}. When that is exhausted, or a response asks for a longer wait than
 * {@code fbf.client.max-delay}, the caller gets the last response or the last exception, as without this filter.
 *
 * <p>The request's body is subscribed to for each try, so it must be one that can be: a value, or a publisher that
 * begins anew. Requests with other methods than {@code fbf.client.methods} are left alone. A response whose status has
 * arrived counts as a response, also when its body breaks off.
 *
 * <p>Filters that are added after this one see every try; those before it see one request. Thread-safe.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 */
public final class IdempotentWebClientFilter implements ExchangeFilterFunction {

    private final ClientSettings settings;

    /**
     * Takes the properties as they are now.
     *
     * @throws org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException if one is out
     *     of its range
     */
    public IdempotentWebClientFilter(FbfClientProperties properties) {
        settings = properties.settings();
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
        return Mono.defer(() -> {
            RetrySchedule schedule = new RetrySchedule(settings, key);
            return Mono.defer(() -> next.exchange(request))
                    .flatMap(this::response)
                    .retryWhen(Retry.from(
                            failures -> failures.concatMap(failure -> waitAfter(failure.failure(), schedule))))
                    .onErrorResume(NoOutcomeException.class, e -> Mono.just(e.response));
        });
    }

    private Mono<ClientResponse> response(ClientResponse response) {
        return settings.retriedStatuses().contains(response.statusCode().value())
                ? Mono.error(new NoOutcomeException(response))
                : Mono.just(response);
    }

    private static Mono<Long> waitAfter(Throwable failure, RetrySchedule schedule) {
        if (failure instanceof NoOutcomeException response) {
            long delay = schedule.nextDelay(response.retryAfter());
            return delay == BackOffExecution.STOP
                    ? Mono.error(response)
                    : response.response.releaseBody().onErrorComplete().then(Mono.delay(Duration.ofMillis(delay)));
        }
        boolean unanswered = failure instanceof WebClientRequestException
                || failure instanceof IOException
                || failure instanceof TimeoutException;
        long delay = unanswered ? schedule.nextDelay(null) : BackOffExecution.STOP;
        return delay == BackOffExecution.STOP ? Mono.error(failure) : Mono.delay(Duration.ofMillis(delay));
    }

    /** A response that does not tell the outcome of the operation. */
    private static final class NoOutcomeException extends Exception {

        private static final long serialVersionUID = 1;

        private final transient ClientResponse response;

        NoOutcomeException(ClientResponse response) {
            super(null, null, false, false);
            this.response = response;
        }

        @Nullable Duration retryAfter() {
            return RetryAfter.of(response.headers().asHttpHeaders(), Instant.now());
        }
    }
}
