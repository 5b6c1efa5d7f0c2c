package dev.fbf.spring.method;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a parser of idempotency keys has to accept, written as regular expressions: the ABNF of RFC 9651, name by name.
 * Where the RFC's algorithm asks for more than its ABNF says, the ABNF of the encoding is put in: RFC 4648 for base64,
 * with or without padding, and RFC 3629 for UTF-8.
 */
final class StructuredStringGrammar {

    private static final String SF_STRING = "\"(?:[\\x20-\\x21\\x23-\\x5B\\x5D-\\x7E]++|\\\\[\"\\\\])*+\"";
    private static final String SF_DECIMAL = "-?+[0-9]{1,12}+\\.[0-9]{1,3}+";
    private static final String SF_INTEGER = "-?+[0-9]{1,15}+";
    private static final String SF_TOKEN = "[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*+";
    private static final String SF_BINARY = ":(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{3}=?|[A-Za-z0-9+/]{2}(?:==)?)?:";
    private static final String SF_BOOLEAN = "\\?[01]";
    private static final String SF_DATE = "@" + SF_INTEGER;
    private static final String TAIL = "%[89ab][0-9a-f]";
    private static final String ONE_BYTE = "[\\x20-\\x21\\x23-\\x24\\x26-\\x7E]|%[0-7][0-9a-f]";
    private static final String TWO_BYTES = "%(?:c[2-9a-f]|d[0-9a-f])" + TAIL;
    private static final String THREE_BYTES =
            "%e0%[ab][0-9a-f]" + TAIL + "|%e[1-9a-cef](?:" + TAIL + "){2}|%ed%[89][0-9a-f]" + TAIL;
    private static final String FOUR_BYTES =
            "%f0%[9ab][0-9a-f](?:" + TAIL + "){2}|%f[1-3](?:" + TAIL + "){3}|%f4%8[0-9a-f](?:" + TAIL + "){2}";
    private static final String SF_DISPLAYSTRING =
            "%\"(?:" + ONE_BYTE + "|" + TWO_BYTES + "|" + THREE_BYTES + "|" + FOUR_BYTES + ")*+\"";
    private static final String BARE_ITEM = String.join(
            "|", SF_DECIMAL, SF_INTEGER, SF_STRING, SF_TOKEN, SF_BINARY, SF_BOOLEAN, SF_DATE, SF_DISPLAYSTRING);
    private static final String KEY = "[a-z*][a-z0-9_.*-]*+";
    private static final String PARAMETERS = "(?:; *+" + KEY + "(?:=(?:" + BARE_ITEM + "))?)*";

    private static final Pattern QUOTED = Pattern.compile(" *+(" + SF_STRING + ")" + PARAMETERS + " *+");

    private static final Pattern BARE =
            Pattern.compile(" *+([\\x21\\x23-\\x27*+\\x2D-\\x3A\\x3C-\\x5B\\x5D-\\x7E]++) *+");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    private StructuredStringGrammar() {}

    /** The key that a line has, in quotes; null if it has none. */
    static @Nullable String quoted(String line) {
        Matcher matcher = QUOTED.matcher(line);
        if (!matcher.matches()) {
            return null;
        }
        String string = matcher.group(1);
        return ofValidLength(
                ESCAPED.matcher(string.substring(1, string.length() - 1)).replaceAll("$1"));
    }

    /** The key that a line has, in quotes or bare; null if it has none. */
    static @Nullable String key(String line) {
        Matcher matcher = BARE.matcher(line);
        return matcher.matches() ? ofValidLength(matcher.group(1)) : quoted(line);
    }

    private static @Nullable String ofValidLength(String key) {
        return key.isEmpty() || key.length() > 255 ? null : key;
    }
}
