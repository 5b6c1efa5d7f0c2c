package dev.fbf.spring.method;

import org.springframework.expression.Expression;

/** Source of the key of a call, or of its caller's name. */
sealed interface ValueSource {

    /** The HTTP request: its header, or the authenticated user where the key comes from the client. */
    ValueSource REQUEST = new Request();

    /** The application's resolver bean. */
    ValueSource RESOLVER = new Resolver();

    /** See {@link #REQUEST}. */
    record Request() implements ValueSource {}

    /** See {@link #RESOLVER}. */
    record Resolver() implements ValueSource {}

    /** An expression of the annotation. */
    record OfExpression(Expression expression) implements ValueSource {}
}
