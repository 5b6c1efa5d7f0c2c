package dev.fbf.spring;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * Names an operation that a program asks for, with the same key each time it asks again.
 *
 * <p>A key that carries the time it was made at, as version 7 of UUIDs does, is refused once it is older than the retry window.
 * Immutable and thread-safe.
 *
 * @param value the key: not blank, and well-formed Unicode
 */
public record IdempotencyKey(String value) {

    /**
     * Checks the key.
     *
     * @throws IllegalArgumentException if it is blank, or has half of a surrogate pair
     */
    public IdempotencyKey {
        if (value.isBlank()) {
            throw new IllegalArgumentException("The key is blank. A key names one operation, as an order's id does.");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw new IllegalArgumentException("The key has half of a surrogate pair: it was cut, or is not text.");
        }
    }

    /**
     * Returns the key with this text.
     *
     * @param value the key
     * @return the key
     * @throws IllegalArgumentException if it is blank, or has half of a surrogate pair
     */
    public static IdempotencyKey of(String value) {
        return new IdempotencyKey(value);
    }

    /**
     * Returns the key that a UUID is.
     *
     * @param value the key
     * @return the key
     */
    public static IdempotencyKey of(UUID value) {
        return new IdempotencyKey(value.toString());
    }
}
