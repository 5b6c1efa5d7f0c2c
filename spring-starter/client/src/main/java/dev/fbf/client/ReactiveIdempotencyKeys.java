package dev.fbf.client;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Keeps one idempotency key for all tries of one operation in a reactive pipeline: put it behind what retries.
 *
 * <pre>{@code
 * client.post().uri("/pages/home/views").retrieve().bodyToMono(Views.class)
 *         .retryWhen(Retry.backoff(3, Duration.ofMillis(200)))
 *         .as(ReactiveIdempotencyKeys::withNewKey);
 * }</pre>
 *
 * <p>The key travels in the Reactor context: the {@code WebClient} requests in front of it see it, in whatever thread they
 * are sent. Each subscription to the result is an operation with a key of its own, so a retry that comes behind it
 * makes a new operation. The rule of {@link IdempotencyKeys}, one key for one operation, holds here too.
 *
 * <p>Thread-safe.
 */
public final class ReactiveIdempotencyKeys {

    private ReactiveIdempotencyKeys() {}

    /** Gives each subscription a new key, which every request in front of it carries. */
    public static <T> Mono<T> withNewKey(Mono<T> calls) {
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, IdempotencyKey.fresh()));
    }

    /** Gives each subscription a new key, which every request in front of it carries. */
    public static <T> Flux<T> withNewKey(Flux<T> calls) {
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, IdempotencyKey.fresh()));
    }

    /**
     * Gives all subscriptions the key that the application made.
     *
     * @param key 1 to 255 printable ASCII characters; best {@linkplain IdempotencyKeys#newKey() one that carries its time}
     * @throws IllegalArgumentException if the key has other characters or another length
     */
    public static <T> Mono<T> withKey(String key, Mono<T> calls) {
        IdempotencyKey named = IdempotencyKey.named(key);
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, named));
    }

    /**
     * Gives all subscriptions the key that the application made.
     *
     * @param key 1 to 255 printable ASCII characters; best {@linkplain IdempotencyKeys#newKey() one that carries its time}
     * @throws IllegalArgumentException if the key has other characters or another length
     */
    public static <T> Flux<T> withKey(String key, Flux<T> calls) {
        IdempotencyKey named = IdempotencyKey.named(key);
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, named));
    }
}
