package dev.fbf.spring.key;

import dev.fbf.spring.IdempotencyKeyException;
import java.text.ParseException;
import java.util.List;

/**
 * Reads the idempotency key out of its header: a structured-field string (RFC 9651, section 3.3.3), or the bare key
 * that many clients send.
 *
 * @param name the header's name
 */
public record KeyHeader(String name) {

    public static final int MAX_LENGTH = 255;

    /** What makes a list, a string or parameters of a structured field: in a bare key it is more likely a mistake. */
    private static final String NOT_IN_BARE_KEYS = "\",;\\()";

    /**
     * Reads the key out of the header's lines.
     *
     * @throws IdempotencyKeyException if there is not exactly one key of 1 to 255 printable ASCII characters
     */
    public String read(List<String> lines) {
        if (lines.isEmpty()) {
            throw new IdempotencyKeyException("The header " + name
                    + " is missing. Send a new random key, such as a UUID, with each operation, and the same key with"
                    + " each retry of it.");
        }
        if (lines.size() > 1) {
            throw new IdempotencyKeyException("The header " + name + " was sent " + lines.size() + " times.");
        }
        String key = read(lines.get(0));
        if (key.isEmpty() || key.length() > MAX_LENGTH) {
            throw malformed("the key has " + key.length() + " characters, and must have 1 to " + MAX_LENGTH);
        }
        return key;
    }

    private String read(String line) {
        int start = 0;
        int end = line.length();
        while (start < end && line.charAt(start) == ' ') {
            start++;
        }
        while (end > start && line.charAt(end - 1) == ' ') {
            end--;
        }
        if (start == end) {
            throw malformed("it is empty");
        }
        return line.charAt(start) == '"' ? string(line) : bare(line.substring(start, end));
    }

    private String string(String line) {
        try {
            return StructuredString.parse(line);
        } catch (ParseException e) {
            throw malformed(e.getMessage() + " (character " + (e.getErrorOffset() + 1) + ")");
        }
    }

    private String bare(String key) {
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c <= ' ' || c > '~' || NOT_IN_BARE_KEYS.indexOf(c) >= 0) {
                throw malformed("without quotes it may have printable ASCII characters only, and no spaces, quotes,"
                        + " commas, semicolons, parentheses or backslashes");
            }
        }
        return key;
    }

    private IdempotencyKeyException malformed(String why) {
        return new IdempotencyKeyException("The header " + name + " is malformed: " + why + ".");
    }
}
