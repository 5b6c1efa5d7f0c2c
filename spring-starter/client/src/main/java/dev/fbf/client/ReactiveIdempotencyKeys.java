package dev.fbf.client;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One idempotency key for all attempts of one operation in a reactive pipeline. Use it downstream of the retry operator.
 *
 * <pre>{@code
 * client.post().uri("/pages/home/views").retrieve().bodyToMono(Views.class)
 *         .retryWhen(Retry.backoff(3, Duration.ofMillis(200)))
 *         .as(ReactiveIdempotencyKeys::withNewKey);
 * }</pre>
 *
 * <p>The key is in the Reactor context: upstream {@code WebClient} requests use it on all threads. With a new key, each subscription to the
 * result is an operation of its own, so a retry operator further downstream creates new operations. As with {@link IdempotencyKeys}, one
 * key is for one operation.
 *
 * <p>Thread-safe.
 */
public final class ReactiveIdempotencyKeys {

    private ReactiveIdempotencyKeys() {}

    /** Gives each subscription a new key, which all upstream requests carry. */
    public static <T> Mono<T> withNewKey(Mono<T> calls) {
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, IdempotencyKey.fresh()));
    }

    /** Gives each subscription a new key, which all upstream requests carry. */
    public static <T> Flux<T> withNewKey(Flux<T> calls) {
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, IdempotencyKey.fresh()));
    }

    /**
     * Gives all subscriptions a key that the application created.
     *
     * @param key 1 to 255 printable ASCII characters; best {@linkplain IdempotencyKeys#newKey() a key with a time}
     * @throws IllegalArgumentException if the key has other characters or another length
     */
    public static <T> Mono<T> withKey(String key, Mono<T> calls) {
        IdempotencyKey named = IdempotencyKey.named(key);
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, named));
    }

    /**
     * Gives all subscriptions a key that the application created.
     *
     * @param key 1 to 255 printable ASCII characters; best {@linkplain IdempotencyKeys#newKey() a key with a time}
     * @throws IllegalArgumentException if the key has other characters or another length
     */
    public static <T> Flux<T> withKey(String key, Flux<T> calls) {
        IdempotencyKey named = IdempotencyKey.named(key);
        return calls.contextWrite(context -> context.put(IdempotencyKey.class, named));
    }
}
