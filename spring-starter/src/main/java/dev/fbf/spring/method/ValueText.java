package dev.fbf.spring.method;

import dev.fbf.spring.operation.RequestKey;
import org.jspecify.annotations.Nullable;

/** Text of a key or a caller, written from the values that name it. Notes the key of a request among them. Confined to one call. */
final class ValueText {

    private final Caller callers;
    private final @Nullable String scope;
    private final String declaredBy;
    private final String attribute;
    private final ValueSource source;
    private @Nullable RequestKey requestKey;

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
        note(value);
        String name = callers.nameOf(value, scope);
        return name != null ? name : KeyValue.textOf(value, place(), this::of);
    }

    /** Notes a value that an expression uses: even a text that is made of a request's key belongs to the caller of the request. */
    void note(@Nullable Object value) {
        if (KeyValue.unwrap(value) instanceof RequestKey key) {
            requestKey = key;
        }
    }

    /** Returns the key of a request among the values; null if there is none. */
    @Nullable RequestKey requestKey() {
        return requestKey;
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
        return source instanceof ValueSource.OfExpression expression
                ? expression.expression().getExpressionString()
                : "of the CallerResolver";
    }

    /** Returns the method and its attribute, for messages. */
    String place() {
        return declaredBy + ": " + attribute + "=" + from();
    }
}
