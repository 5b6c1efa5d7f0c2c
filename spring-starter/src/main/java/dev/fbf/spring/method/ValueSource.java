package dev.fbf.spring.method;

import org.springframework.expression.Expression;

/** Source of a call's key, or of its caller's name. */
sealed interface ValueSource {

    /** The HTTP request: its header; for callers, the authenticated user if the key comes from the client. */
    ValueSource REQUEST = new Request();

    /** The application's resolver bean. */
    ValueSource RESOLVER = new Resolver();

    record Request() implements ValueSource {}

    record Resolver() implements ValueSource {}

    /** SpEL expression in the annotation. */
    record OfExpression(Expression expression) implements ValueSource {}
}
