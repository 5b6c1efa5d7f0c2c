package dev.fbf.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
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
        return Mono.defer(() -> new Tries(request, next, new RetrySchedule(settings, key)).send());
    }

    /**
     * The attempts of one request. No exchange is canceled between two attempts: a canceled exchange releases its response, which the
     * caller may be about to read.
     */
    private final class Tries {

        private final ClientRequest request;
        private final ExchangeFunction next;
        private final RetrySchedule schedule;

        Tries(ClientRequest request, ExchangeFunction next, RetrySchedule schedule) {
            this.request = request;
            this.next = next;
            this.schedule = schedule;
        }

        Mono<ClientResponse> send() {
            return Mono.defer(() -> next.exchange(request))
                    .map(response -> new Try(response, null))
                    .onErrorResume(failure -> Mono.just(new Try(null, failure)))
                    .flatMap(tried -> tried.response == null
                            ? after(Objects.requireNonNull(tried.failure))
                            : after(tried.response));
        }

        private Mono<ClientResponse> after(ClientResponse response) {
            if (!settings.retriedStatuses().contains(response.statusCode().value())) {
                return Mono.just(response);
            }
            long delay = schedule.nextDelay(RetryAfter.of(response.headers().asHttpHeaders(), Instant.now()));
            return delay == BackOffExecution.STOP
                    ? Mono.just(response)
                    : response.releaseBody().onErrorComplete().then(sendAfter(delay));
        }

        private Mono<ClientResponse> after(Throwable failure) {
            boolean withoutOutcome = failure instanceof WebClientRequestException
                    || failure instanceof IOException
                    || failure instanceof TimeoutException;
            long delay = withoutOutcome ? schedule.nextDelay(null) : BackOffExecution.STOP;
            return delay == BackOffExecution.STOP ? Mono.error(failure) : sendAfter(delay);
        }

        private Mono<ClientResponse> sendAfter(long delay) {
            return Mono.delay(Duration.ofMillis(delay)).then(Mono.defer(this::send));
        }
    }

    private record Try(
            @Nullable ClientResponse response, @Nullable Throwable failure) {}
}
