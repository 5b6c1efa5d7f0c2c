package dev.fbf.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.UUID;

/**
 * Names one operation: the first 128 bits of the SHA-256 digest of its scope, caller and idempotency key, and of what else names
 * it.
 *
 * <p>Each part is preceded by its length, so that no two different lists of parts have the same input. The id says nothing
 * about the key it was made from; logs may carry it. Immutable and thread-safe.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record OperationId(long high, long low) {

    /**
     * Names the operation that a caller means by a key within a scope.
     *
     * @param scope the family of counters
     * @param caller who asks; empty where callers are not told apart
     * @param key the idempotency key
     * @return the same id for the same three parts, on every machine and in every version
     * @throws IllegalArgumentException if a part has half of a surrogate pair
     */
    public static OperationId of(String scope, String caller, String key) {
        return of(new String[] {scope, caller, key});
    }

    /**
     * Names the operation that so many parts name together.
     *
     * @param parts what names it, in this order; their number counts too
     * @return the same id for the same parts, on every machine and in every version
     * @throws IllegalArgumentException if a part has half of a surrogate pair, which UTF-8 cannot tell from a question mark
     */
    public static OperationId of(String... parts) {
        MessageDigest digest = sha256();
        for (int i = 0; i < parts.length; i++) {
            if (parts[i].codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
                // without the part: it may be a key, which no log is to tell
                throw new IllegalArgumentException(
                        "part " + (i + 1) + " of " + parts.length + ": must not have half of a surrogate pair");
            }
            update(digest, parts[i]);
        }
        ByteBuffer bytes = ByteBuffer.wrap(digest.digest());
        return new OperationId(bytes.getLong(), bytes.getLong());
    }

    private static void update(MessageDigest digest, String part) {
        byte[] bytes = part.getBytes(UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        digest.update(bytes);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
        }
    }

    /**
     * Returns the id as a database keeps it.
     *
     * @return the same 128 bits; it has no version that RFC 9562 knows
     */
    public UUID toUuid() {
        return new UUID(high, low);
    }

    /** Returns the id as 32 hexadecimal digits. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%016x%016x", high, low);
    }
}
