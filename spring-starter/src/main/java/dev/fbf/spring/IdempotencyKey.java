package dev.fbf.spring;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Name of an operation, the same for all its attempts and retries. Keys with equal values are equal.
 *
 * <p>A handler method of Spring MVC takes the key of its request as an argument. Its operation belongs to that request and its caller, by
 * the contract of {@link IdempotentIncrement} methods: another request with the same key is refused, and a retry gets the first response.
 * The caller is part of the operation's name wherever the key is used, such as in {@code key = "#key"} of a service. Programs create keys
 * with {@link #of(String)}.
 *
 * <pre>{@code
 * @PostMapping("/pages/{page}/views")
 * long view(@PathVariable String page, IdempotencyKey key) {
 *     return counters.increment(key, page, 1);
 * }
 * }</pre>
 *
 * <p>A request without a key is refused with an {@link IdempotencyKeyException}, unless the argument is nullable or an
 * {@link java.util.Optional}. The key of a request may be used on its handler's thread, for one operation or the operations of one
 * transaction. A replay or a refusal ends the handler with an exception.
 *
 * <p>A key can contain its time, as a UUID of version 7 or a ULID does. Once the key is older than the retry window minus {@code
 * fbf.key.max-skew}, its operation is not applied any more.
 */
public class IdempotencyKey {

    private final String value;

    /**
     * Creates a key; for fbf's subclasses.
     *
     * @param value the key
     */
    protected IdempotencyKey(String value) {
        this.value = value;
    }

    /**
     * Returns a key for a text.
     *
     * @param value the key: not blank, and well-formed Unicode
     * @return the key
     * @throws IllegalArgumentException if it is blank, or has an unpaired surrogate
     */
    public static IdempotencyKey of(String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("The key is blank. A key names one operation, as an order's id does.");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException("The key has an unpaired surrogate: it was cut, or is not text.");
        }
        return new IdempotencyKey(value);
    }

    /**
     * Returns a key for a UUID.
     *
     * @param value the key
     * @return the key
     */
    public static IdempotencyKey of(UUID value) {
        return new IdempotencyKey(value.toString());
    }

    /**
     * Returns the key's text.
     *
     * @return the key
     */
    public final String value() {
        return value;
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof IdempotencyKey key && value.equals(key.value);
    }

    @Override
    public final int hashCode() {
        return value.hashCode();
    }

    /** Returns the key's text, which {@link IdempotentIncrement#key()} also uses. */
    @Override
    public final String toString() {
        return value;
    }
}
