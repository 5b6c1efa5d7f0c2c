package dev.fbf.spring;

import java.util.List;

/**
 * Reads the {@code Idempotency-Key} header: a structured-field string (RFC 9651, section 3.3.3), or the bare key that
 * many clients send.
 */
final class IdempotencyKey {

    static final String HEADER = "Idempotency-Key";

    private static final int MAX_LENGTH = 255;

    private IdempotencyKey() {}

    /**
     * Reads the key out of a header's lines.
     *
     * @throws IdempotencyKeyException if there is not exactly one key of 1 to 255 printable ASCII characters
     */
    static String parse(List<String> lines) {
        if (lines.isEmpty()) {
            throw new IdempotencyKeyException("The header " + HEADER
                    + " is missing. Send a new random key, such as a UUID, with each operation, and the same key with"
                    + " each retry of it.");
        }
        if (lines.size() > 1) {
            throw new IdempotencyKeyException("The header " + HEADER + " was sent " + lines.size() + " times.");
        }
        String value = lines.get(0).strip();
        String key = value.startsWith("\"") ? quoted(value) : bare(value);
        if (key.isEmpty() || key.length() > MAX_LENGTH) {
            throw malformed("it has " + key.length() + " characters, and must have 1 to " + MAX_LENGTH);
        }
        return key;
    }

    private static String bare(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c > '~' || c == '"' || c == ',' || c == ';' || c == '\\') {
                throw malformed("without quotes it may have no spaces, quotes, commas, semicolons or backslashes");
            }
        }
        return value;
    }

    private static String quoted(String value) {
        StringBuilder key = new StringBuilder(value.length());
        int i = 1;
        for (; i < value.length() && value.charAt(i) != '"'; i++) {
            char c = value.charAt(i);
            if (c == '\\') {
                i++;
                if (i == value.length() || (value.charAt(i) != '"' && value.charAt(i) != '\\')) {
                    throw malformed("a backslash may stand before a quote or another backslash only");
                }
            } else if (c < ' ' || c > '~') {
                throw malformed("it may have printable ASCII characters only");
            }
            key.append(value.charAt(i));
        }
        if (i != value.length() - 1) {
            throw malformed(
                    i < value.length() ? "something follows the closing quote" : "the closing quote is missing");
        }
        return key.toString();
    }

    private static IdempotencyKeyException malformed(String why) {
        return new IdempotencyKeyException("The header " + HEADER + " is malformed: " + why + ".");
    }
}
