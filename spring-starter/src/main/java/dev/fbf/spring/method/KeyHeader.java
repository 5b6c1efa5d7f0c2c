package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.HttpRequest;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the idempotency key's header: a quoted string, whose parameters after {@code ;} are ignored (RFC 9651, section 3.3.3), or the
 * bare key that many clients send.
 *
 * @param name the header's name
 */
public record KeyHeader(String name) {

    /** Maximum length of a key, in characters. */
    public static final int MAX_LENGTH = 255;

    /** Possessively: a long string needs no deep stack. */
    private static final Pattern QUOTED = Pattern.compile("\"((?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*+)\" *(?:;.*)?");

    /** Without the delimiters of structured fields, which probably indicate an error of the client. */
    private static final Pattern BARE = Pattern.compile("([!-~&&[^\",;\\\\()]]+)");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    /**
     * Reads the key of a request, like {@link #read(String, List)}.
     *
     * @return the key; null if the request has no key and needs none
     */
    @Nullable String read(HttpRequest request, @Nullable String scope, boolean required) {
        List<String> lines = request.header(name);
        return lines.isEmpty() && !required ? null : read(scope, lines);
    }

    /**
     * Reads the key from the header's lines.
     *
     * @param scope the operation's scope for messages; null if not known yet
     * @throws IdempotencyKeyException if there is not exactly one line, with a well-formed key of 1 to 255 characters
     */
    public String read(@Nullable String scope, List<String> lines) {
        if (lines.isEmpty()) {
            throw invalid(
                    scope,
                    "The header " + name
                            + " is missing. Send a new random key, such as a UUID, with each operation, and the same key with"
                            + " each retry of it.");
        }
        if (lines.size() > 1) {
            throw invalid(scope, "The header " + name + " was sent " + lines.size() + " times.");
        }
        String line = lines.get(0).strip();
        if (line.isEmpty()) {
            throw malformed(scope, "it is empty");
        }
        Matcher matcher = (line.charAt(0) == '"' ? QUOTED : BARE).matcher(line);
        if (!matcher.matches()) {
            throw malformed(
                    scope,
                    line.charAt(0) == '"'
                            ? "it is not one string in quotes, of printable ASCII characters, with a backslash before each"
                                    + " quote and backslash in it"
                            : "without quotes it may have printable ASCII characters only, and no spaces, quotes,"
                                    + " commas, semicolons, parentheses or backslashes");
        }
        String key = ESCAPED.matcher(matcher.group(1)).replaceAll("$1");
        if (key.isEmpty() || key.length() > MAX_LENGTH) {
            throw malformed(scope, "the key has " + key.length() + " characters, and must have 1 to " + MAX_LENGTH);
        }
        return key;
    }

    private OperationRefusedException malformed(@Nullable String scope, String why) {
        return invalid(scope, "The header " + name + " is malformed: " + why + ".");
    }

    private static OperationRefusedException invalid(@Nullable String scope, String what) {
        return OperationRefusedException.of(OperationOutcome.KEY_INVALID, scope, what, what);
    }
}
