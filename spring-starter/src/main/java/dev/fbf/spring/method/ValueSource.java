package dev.fbf.spring.method;

import org.springframework.expression.Expression;

/** Source of a call's key, or of its caller's name. */
sealed interface ValueSource {

    /** The HTTP request: for keys its header, for callers its authenticated user. */
    ValueSource REQUEST = new Request();

    /** The application's {@link dev.fbf.spring.CallerResolver}. */
    ValueSource RESOLVER = new Resolver();

    /** No source: the callers of the method are not distinguished. */
    ValueSource NONE = new None();

    record Request() implements ValueSource {}

    record Resolver() implements ValueSource {}

    record None() implements ValueSource {}

    /** SpEL expression in the annotation. */
    record OfExpression(Expression expression) implements ValueSource {}
}
