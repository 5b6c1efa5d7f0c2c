package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKey;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Conversion to text of values that name an operation or its caller: equal values have the same text in every process, and a list or a
 * record never has the text of another value. Arrays, maps, collections other than lists, and objects with {@link Object#toString()} are
 * refused: a retry would be another operation. Thread-safe.
 */
final class KeyValue {

    /*
     * Text of a value with parts:
     *
     *   list     \r [ part …
     *   record   \r part of the class's name, part of each component …
     *   part     length of its text : text, or - for null
     *
     * Other values have the text of their toString(). A text that begins with \r gets a second one, and so is not that of a list or record.
     */
    private static final String WITH_PARTS = "\r";

    /** Prefix of names that the application did not issue. Other names that begin with it, or with \r, get it too. */
    static final String WITH_ISSUER = "\n";

    /** The text of an array, or of an object without its own {@code toString()}. */
    private static final Pattern IDENTITY = Pattern.compile(
            "(\\[[BCDFIJSZ]|\\[L[\\w.$]+;|(?<![\\w.])(\\w+\\.)+[A-Z][\\w$/]*)@[0-9a-f]{1,8}(?![\\w.@])");

    static final String REMEDY =
            "Name a string, a number, a UUID, an enum, an IdempotencyKey or a record of those, such as #order.id.";

    /** Whether a value of a type has no stable text, whatever its content. */
    private static final ClassValue<Boolean> UNSTABLE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.isArray()
                    || Map.class.isAssignableFrom(type)
                    || Collection.class.isAssignableFrom(type)
                    || hasToStringOfObject(type);
        }
    };

    private static final ClassValue<List<Method>> COMPONENTS = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            List<Method> accessors = Stream.of(type.getRecordComponents())
                    .map(RecordComponent::getAccessor)
                    .toList();
            accessors.forEach(ReflectionUtils::makeAccessible);
            return accessors;
        }
    };

    private KeyValue() {}

    /** Returns the content of an Optional, null for an empty one; returns any other value unchanged. */
    static @Nullable Object unwrap(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return unwrap(optional.orElse(null));
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? optional.getAsDouble() : null;
        }
        return value;
    }

    /**
     * Returns the text of a value. A list or a record is written part by part, each with its length, even if the record overrides
     * {@code toString()}.
     *
     * @param attribute the annotation's attribute and its expression, for the message
     * @param parts returns the text of a part
     * @throws IllegalStateException if equal values of this type can have different texts
     */
    static String textOf(Object value, String attribute, Function<Object, String> parts) {
        if (value instanceof List<?> list) {
            return WITH_PARTS + '[' + joined(list.stream(), parts);
        }
        if (value instanceof Record) {
            Stream<@Nullable Object> components = COMPONENTS.get(value.getClass()).stream()
                    .map(accessor -> ReflectionUtils.invokeMethod(accessor, value));
            return WITH_PARTS + part(value.getClass().getName()) + joined(components, parts);
        }
        String text = value.toString();
        if (!(value instanceof String)
                && (UNSTABLE.get(value.getClass()) || isOfIdentity(text, value) || !text.equals(value.toString()))) {
            throw unstable(value, attribute);
        }
        return text.startsWith(WITH_PARTS) ? WITH_PARTS + text : text;
    }

    /**
     * Returns the text of a name that a value has. Spring Security names principals of the application's own types by their
     * {@code toString()}; then the text is that of the value.
     *
     * @param names returns the name
     * @throws IllegalStateException if equal values of this type can have different names
     */
    static String textOfName(Object named, Supplier<String> names, String attribute, Function<Object, String> parts) {
        String name = names.get();
        boolean hasText = named instanceof List || named instanceof Record || UNSTABLE.get(named.getClass());
        if (hasText && name.equals(named.toString())) {
            return textOf(named, attribute, parts);
        }
        if (isOfIdentity(name, named) || !name.equals(names.get())) {
            throw unstable(named, attribute);
        }
        return name.startsWith(WITH_PARTS) || name.startsWith(WITH_ISSUER) ? WITH_ISSUER + name : name;
    }

    private static String joined(Stream<? extends @Nullable Object> values, Function<Object, String> parts) {
        return values.map(KeyValue::unwrap)
                .map(value -> value == null ? "-" : part(parts.apply(value)))
                .collect(Collectors.joining());
    }

    /** Returns a text with its length, which tells where it ends. */
    static String part(String text) {
        return text.length() + ":" + text;
    }

    /** Returns whether a text shows of which instance it was made, or its parts were, as {@link Object#toString()} does. */
    private static boolean isOfIdentity(String text, Object value) {
        boolean isText = value instanceof CharSequence || value instanceof IdempotencyKey;
        return text.contains("@" + Integer.toHexString(System.identityHashCode(value)))
                || (!isText && IDENTITY.matcher(text).find() && text.equals(value.toString()));
    }

    private static IllegalStateException unstable(Object value, String attribute) {
        return new IllegalStateException(attribute + ": " + problem(value.getClass()) + " " + REMEDY);
    }

    private static boolean hasToStringOfObject(Class<?> type) {
        var toString = ReflectionUtils.findMethod(type, "toString");
        return toString == null || toString.getDeclaringClass() == Object.class;
    }

    /** Returns the description of the problem for a type that is unusable as a name. */
    static String problem(Class<?> type) {
        return "a " + type.getSimpleName()
                + " has no stable text, so a retry would not be recognized and would be applied again.";
    }
}
