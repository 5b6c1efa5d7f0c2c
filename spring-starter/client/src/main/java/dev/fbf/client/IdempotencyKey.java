package dev.fbf.client;

import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Key of one operation in the header's format, with its age. Thread-safe. */
final class IdempotencyKey {

    private static final SecureRandom RANDOM = new SecureRandom();

    private static final int MAX_LENGTH = 255;

    /** A UUID of version 7 (RFC 9562, section 5.7), with or without quotes; its first 48 bits are milliseconds since 1970. */
    private static final Pattern UUID_V7 = Pattern.compile(
            "\"?(\\p{XDigit}{8})-(\\p{XDigit}{4})-7\\p{XDigit}{3}-[89abAB]\\p{XDigit}{3}-\\p{XDigit}{12}\"?");

    private final String fieldValue;

    /** Time of creation by {@link System#nanoTime()}, so that a step back of the clock does not rejuvenate keys. */
    private final long made;

    private final AtomicReference<@Nullable String> operation = new AtomicReference<>();

    private IdempotencyKey(String fieldValue, Duration age) {
        this.fieldValue = fieldValue;
        this.made = System.nanoTime() - age.toNanos();
    }

    /** Creates a unique key. */
    static IdempotencyKey fresh() {
        return new IdempotencyKey(quoted(newUuid()), Duration.ZERO);
    }

    /**
     * Creates a key from an application's text.
     *
     * @throws IllegalArgumentException if it does not have 1 to 255 printable ASCII characters
     */
    static IdempotencyKey named(String key) {
        boolean printable = key.chars().allMatch(c -> c >= ' ' && c <= '~');
        if (key.isEmpty() || key.length() > MAX_LENGTH || !printable) {
            throw new IllegalArgumentException("The key has " + key.length() + " characters, and must have 1 to "
                    + MAX_LENGTH + " printable ASCII characters.");
        }
        return new IdempotencyKey(quoted(key), age(key));
    }

    /** Creates the key that a request already has. */
    static IdempotencyKey sent(String fieldValue) {
        return new IdempotencyKey(fieldValue, age(fieldValue));
    }

    /** Returns a UUID of version 7: milliseconds since 1970 and 74 random bits. */
    static String newUuid() {
        long high = System.currentTimeMillis() << 16 | 0x7000 | RANDOM.nextInt(0x1000);
        long low = Long.MIN_VALUE | RANDOM.nextLong() >>> 2;
        return new UUID(high, low).toString();
    }

    String fieldValue() {
        return fieldValue;
    }

    /** Returns the age of the key; for a key without a time, the time since this object was created. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - made);
    }

    /**
     * Checks that the key is used for one operation, that is, for one method, path and query. The host may vary, as behind a load balancer.
     *
     * @throws IllegalStateException if it was used for another operation
     */
    void useFor(String method, URI uri) {
        String query = uri.getRawQuery();
        String wanted = method + " " + uri.getRawPath() + (query == null ? "" : "?" + query);
        String found = operation.compareAndExchange(null, wanted);
        if (found != null && !found.equals(wanted)) {
            throw new IllegalStateException("Key " + fieldValue + " belongs to " + found + ", and a server would treat "
                    + wanted + " as its retry: give each operation its own key");
        }
    }

    /** Writes a string as structured fields do (RFC 9651, section 4.1.6). */
    private static String quoted(String key) {
        return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static Duration age(String key) {
        Matcher uuid = UUID_V7.matcher(key);
        if (!uuid.matches()) {
            return Duration.ZERO;
        }
        long age = System.currentTimeMillis() - Long.parseLong(uuid.group(1) + uuid.group(2), 16);
        return Duration.ofMillis(Math.max(0, age));
    }
}
