package dev.fbf.client;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * One idempotency key for all attempts of one operation. Use it around the retrying code, with any retry library.
 *
 * <pre>{@code
 * IdempotencyKeys.withNewKey(() -> retry.executeSupplier(() -> pages.view("home")));
 * }</pre>
 *
 * <p>The key is bound to the calling thread until the call returns. Requests in other threads do not see it: for
 * {@code Mono} and {@code Flux} see {@link ReactiveIdempotencyKeys}. A call within a call has its own key.
 *
 * <p>One key is for one operation. When a second request in the same call has another method, path or query than the first, it fails with
 * an {@link IllegalStateException}, because the server would treat it as a retry and ignore it. Two requests without such a
 * difference are one operation and its retry.
 *
 * <p>Thread-safe.
 */
public final class IdempotencyKeys {

    private static final ThreadLocal<@Nullable IdempotencyKey> CURRENT = new ThreadLocal<>();

    private IdempotencyKeys() {}

    /**
     * Code that makes requests.
     *
     * @param <T> the result
     * @param <E> the exception that it may throw
     */
    @FunctionalInterface
    public interface Call<T extends @Nullable Object, E extends Exception> {

        T call() throws E;
    }

    /**
     * Returns a new key: a UUID of version 7 (RFC 9562, section 5.7), as 36 characters without quotes.
     */
    public static String newKey() {
        return IdempotencyKey.newUuid();
    }

    /**
     * Runs a call with a new key for all its requests.
     *
     * @return the result of the call
     * @throws E the exception of the call
     * @throws IllegalStateException if the call returns a publisher or a future, because its requests may be sent after the key is unbound
     */
    public static <T extends @Nullable Object, E extends Exception> T withNewKey(Call<T, E> call) throws E {
        return with(IdempotencyKey.fresh(), call);
    }

    /**
     * Runs a call with a key that the application created, and keeps for retries in another thread or after a restart.
     *
     * @param key 1 to 255 printable ASCII characters; best {@linkplain #newKey() a key with a time}
     * @return the result of the call
     * @throws E the exception of the call
     * @throws IllegalArgumentException if the key has other characters or another length
     * @throws IllegalStateException if the call returns a publisher or a future, because its requests may be sent after the key is unbound
     */
    public static <T extends @Nullable Object, E extends Exception> T withKey(String key, Call<T, E> call) throws E {
        return with(IdempotencyKey.named(key), call);
    }

    /** Returns the key of the calling thread's operation, or a new one. */
    static IdempotencyKey currentOrNew() {
        IdempotencyKey current = CURRENT.get();
        return current == null ? IdempotencyKey.fresh() : current;
    }

    private static <T extends @Nullable Object, E extends Exception> T with(IdempotencyKey key, Call<T, E> call)
            throws E {
        IdempotencyKey outer = CURRENT.get();
        CURRENT.set(key);
        try {
            return done(call.call());
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    private static <T extends @Nullable Object> T done(T result) {
        if (result instanceof Future
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, result) != null) {
            throw new IllegalStateException(
                    "The call returned a " + result.getClass().getName()
                            + ", whose requests may be sent when the key is no longer there: wait for its result"
                            + " within the call, or use ReactiveIdempotencyKeys");
        }
        return result;
    }
}
