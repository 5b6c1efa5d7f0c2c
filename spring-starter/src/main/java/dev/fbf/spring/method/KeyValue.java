package dev.fbf.spring.method;

import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * Conversion to text of values that name an operation or its caller: equal values have the same text in every process. Arrays, maps,
 * collections other than lists, and objects with {@link Object#toString()} are refused: a retry would be another operation. Thread-safe.
 */
final class KeyValue {

    static final String REMEDY =
            "Name a string, a number, a UUID, an enum, an IdempotencyKey or a record of those, such as #order.id.";

    private static final ClassValue<Boolean> NO_VALUES = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return isNone(type);
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
     * Returns the text of a value.
     *
     * @param attribute the annotation's attribute and its expression, for the message
     * @throws IllegalStateException if equal values of this type can have different texts
     */
    static String textOf(Object value, String attribute) {
        requireText(value, attribute);
        return value.toString();
    }

    private static void requireText(@Nullable Object value, String attribute) {
        if (value instanceof List<?> list) {
            list.forEach(element -> requireText(element, attribute));
        } else if (value != null && (value.getClass() == Object.class || NO_VALUES.get(value.getClass()))) {
            throw new IllegalStateException(attribute + ": " + problem(value.getClass()) + " " + REMEDY);
        }
    }

    /** Returns whether values of a type are unusable as names, as far as the type shows. */
    static boolean isNone(Class<?> type) {
        if (type.isArray() || Map.class.isAssignableFrom(type)) {
            return true;
        }
        if (Collection.class.isAssignableFrom(type)) {
            return !type.isAssignableFrom(List.class) && !List.class.isAssignableFrom(type);
        }
        if (type.isRecord()) {
            return Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .anyMatch(part -> part != type && isNone(part));
        }
        return !type.isPrimitive()
                && type != Object.class
                && !Modifier.isAbstract(type.getModifiers())
                && !Principal.class.isAssignableFrom(type)
                && hasToStringOfObject(type);
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
