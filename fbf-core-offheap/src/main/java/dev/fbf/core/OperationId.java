package dev.fbf.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Id of one operation: the first 128 bits of the SHA-256 digest of its scope, its caller, its idempotency key and any further parts.
 *
 * <p>Each part is preceded by its length, so that different lists of parts have different inputs. The id does not reveal the key; logs may
 * contain it. Immutable and thread-safe.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record OperationId(long high, long low) {

    /** Pattern of a scope's name, which is part of its files' names in filter mode. */
    public static final Pattern SCOPE = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    private static final HexFormat HEX = HexFormat.of();

    /**
     * Derives the id of an operation from its scope, caller and key.
     *
     * @param scope the scope
     * @param caller the client; empty if callers are not distinguished
     * @param key the idempotency key
     * @return the same id for the same three parts, on every machine and in every version
     * @throws IllegalArgumentException if a part has an unpaired surrogate
     */
    public static OperationId of(String scope, String caller, String key) {
        return of(new String[] {scope, caller, key});
    }

    /**
     * Derives the id of an operation from any number of parts.
     *
     * @param parts the parts; their order and number matter
     * @return the same id for the same parts, on every machine and in every version
     * @throws IllegalArgumentException if a part has an unpaired surrogate, which UTF-8 would encode as a question mark
     */
    public static OperationId of(String... parts) {
        byte[][] encoded = new byte[parts.length][];
        int length = 0;
        for (int i = 0; i < parts.length; i++) {
            encoded[i] = parts[i].getBytes(UTF_8);
            if (!new String(encoded[i], UTF_8).equals(parts[i])) {
                // omits the part: it may be a key, which must not be logged
                throw new IllegalArgumentException(
                        "part " + (i + 1) + " of " + parts.length + ": must not have an unpaired surrogate");
            }
            length += Integer.BYTES + encoded[i].length;
        }
        ByteBuffer input = ByteBuffer.allocate(length);
        for (byte[] part : encoded) {
            input.putInt(part.length).put(part);
        }
        ByteBuffer id = ByteBuffer.wrap(sha256().digest(input.array()));
        return new OperationId(id.getLong(), id.getLong());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
        }
    }

    /** {@return the id as a database stores it: the same 128 bits, without a version of RFC 9562} */
    public UUID toUuid() {
        return new UUID(high, low);
    }

    /** {@return the id as 32 hexadecimal digits} */
    @Override
    public String toString() {
        return HEX.toHexDigits(high) + HEX.toHexDigits(low);
    }
}
