package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Conversion to text of values that name an operation or its caller: equal values have the same text in every process, and a list never has
 * the text of another value. Values other than simple ones and lists are refused: with a text that changes, a retry would be another
 * operation.
 */
final class KeyValue {

    /*
     * Text of a list: \r [ part …; of a part: the length of its text : text. A text that begins with \r gets a second one, and so is not
     * that of a list.
     */
    private static final String WITH_PARTS = "\r";

    /** Prefix of names that the application did not issue. Other names that begin with it, or with \r, get it too. */
    static final String WITH_ISSUER = "\n";

    private KeyValue() {}

    /** Returns the content of an Optional, null for an empty one; returns any other value unchanged. */
    static @Nullable Object unwrap(@Nullable Object value) {
        return value instanceof Optional<?> optional ? unwrap(optional.orElse(null)) : value;
    }

    /**
     * Returns the text of a value.
     *
     * @param place the annotation's attribute and its expression, for the message
     * @param parts returns the text of a list's part
     * @throws IllegalStateException if values of this type may have no stable text
     */
    static String textOf(Object value, String place, Function<@Nullable Object, String> parts) {
        if (value instanceof List<?> list) {
            return list.stream()
                    .map(KeyValue::unwrap)
                    .map(part -> part(parts.apply(part)))
                    .collect(Collectors.joining("", WITH_PARTS + "[", ""));
        }
        requireStable(value.getClass(), place);
        String text = value.toString();
        return text.startsWith(WITH_PARTS) ? WITH_PARTS + text : text;
    }

    /** Returns the text of a principal's name. */
    static String textOfName(String name) {
        return name.startsWith(WITH_PARTS) || name.startsWith(WITH_ISSUER) ? WITH_ISSUER + name : name;
    }

    /** Returns a text with its length, which shows where it ends. */
    static String part(String text) {
        return text.length() + ":" + text;
    }

    /** @throws IllegalStateException if values of a type may have no stable text */
    static void requireStable(Class<?> type, String place) {
        if (!ClassUtils.isSimpleValueType(type) && !IdempotencyKey.class.isAssignableFrom(type)) {
            throw new IllegalStateException(
                    place + ": a " + type.getSimpleName()
                            + " has no text that is known to be stable, so a retry might not be recognized and would be applied again."
                            + " Name a string, a number, a UUID, an enum, an IdempotencyKey or a list of those, such as #order.id.");
        }
    }
}
