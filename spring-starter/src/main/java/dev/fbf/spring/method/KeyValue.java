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
 * Values that name an operation or its caller: equal ones have the same text, in each process. Arrays, maps, sets and objects with
 * the {@code toString} of {@link Object} have another text each time, so that a retry would be another operation. Thread-safe.
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

    /** Returns the content of an Optional, null if that is empty; any other value as it is. */
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
     * @throws IllegalStateException if the value has no text of its own
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

    /** Returns whether no value of a type has a text of its own, as far as the type tells. */
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

    /** What is wrong with a type whose values have no text of their own. */
    static String problem(Class<?> type) {
        return "a " + type.getSimpleName()
                + " has no text by which an operation is known again, so that a retry would be applied again.";
    }
}
