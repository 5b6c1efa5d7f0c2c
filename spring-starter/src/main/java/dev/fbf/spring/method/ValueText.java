package dev.fbf.spring.method;

import org.jspecify.annotations.Nullable;

/** Text of a key or a caller, written from the values that name it. Confined to one call. */
final class ValueText {

    private final Caller callers;
    private final @Nullable String scope;
    private final String declaredBy;
    private final String attribute;
    private final ValueSource source;

    /**
     * @param callers names principals
     * @param scope the operation's scope for messages; null if not known
     * @param declaredBy the method that the value is for, for messages
     * @param attribute the attribute of the annotation
     * @param source the source of the value
     */
    ValueText(Caller callers, @Nullable String scope, String declaredBy, String attribute, ValueSource source) {
        this.callers = callers;
        this.scope = scope;
        this.declaredBy = declaredBy;
        this.attribute = attribute;
        this.source = source;
    }

    /**
     * Returns the text of a value. Principals, parts of other values included, are identified by their names.
     *
     * @throws IllegalStateException if equal values of this type can have different texts
     */
    String of(Object value) {
        String name = callers.nameOf(value, scope);
        return name != null ? name : KeyValue.textOf(value, place(), this::of);
    }

    @Nullable String scope() {
        return scope;
    }

    ValueSource source() {
        return source;
    }

    String attribute() {
        return attribute;
    }

    /** Returns the source of the value in words: an expression, or a bean. */
    String from() {
        if (source instanceof ValueSource.OfExpression expression) {
            return expression.expression().getExpressionString();
        }
        return attribute.equals("key") ? "of the KeyResolver" : "of the CallerResolver";
    }

    /** Returns the method and its attribute, for messages. */
    String place() {
        return declaredBy + ": " + attribute + "=" + from();
    }
}
