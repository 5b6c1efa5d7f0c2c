package dev.fbf.spring.method;

import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotencyKeyTimeException;
import dev.fbf.spring.IdempotencyKeyTooOldException;
import dev.fbf.spring.declaration.GuardedMethod;
import dev.fbf.spring.key.KeyHeader;
import dev.fbf.spring.key.KeylessCalls;
import dev.fbf.spring.key.RetryWindows;
import dev.fbf.spring.operation.HttpRequests;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/** Finds the idempotency key of a call. */
final class KeyResolver {

    private final Expressions expressions;
    private final HttpRequests http;
    private final KeyHeader header;
    private final RetryWindows windows;
    private final KeylessCalls keyless;

    KeyResolver(
            Expressions expressions, HttpRequests http, KeyHeader header, RetryWindows windows, KeylessCalls keyless) {
        this.expressions = expressions;
        this.http = http;
        this.header = header;
        this.windows = windows;
        this.keyless = keyless;
    }

    /**
     * Finds the key.
     *
     * @return the key; null if the call has none and needs none
     * @throws IdempotencyKeyException if the call has none that can be read
     * @throws IdempotencyKeyTimeException if the key is from the future, or has no time and must have one
     * @throws IdempotencyKeyTooOldException if the key is older than operations are remembered
     * @throws IllegalStateException if it comes neither by HTTP nor with an expression
     */
    @Nullable String resolve(GuardedMethod method, MethodInvocation call) {
        String key = method.key() != null ? evaluate(method, method.key(), call) : fromHeader(method);
        if (key == null) {
            keyless.passed(method.scope());
        } else {
            windows.of(method.scope()).requireWithin(key);
        }
        return key;
    }

    private @Nullable String fromHeader(GuardedMethod method) {
        if (!http.inRequest()) {
            throw new IllegalStateException("@IdempotentIncrement on " + method.method()
                    + ": was not called by an HTTP request, so there is no " + header.name()
                    + " header. Say where the key is, with key = \"#…\".");
        }
        List<String> lines = http.header(header.name());
        return lines.isEmpty() && !method.required() ? null : header.read(lines);
    }

    private @Nullable String evaluate(GuardedMethod method, Expression expression, MethodInvocation call) {
        Object value = expressions.evaluate(expression, method, call);
        String key = value == null ? "" : value.toString();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(key)) {
            throw new IdempotencyKeyException(
                    "The idempotency key, " + expression.getExpressionString() + ", has half of a surrogate pair.",
                    "The idempotency key in the request is no Unicode text: it has half of a surrogate pair.");
        }
        if (!key.isBlank()) {
            return key;
        }
        boolean named = method.parameterNames() != null;
        if (value == null && !method.required() && named) {
            return null;
        }
        String what = value == null ? "null" : "blank";
        throw new IdempotencyKeyException(
                "The idempotency key, " + expression.getExpressionString() + ", is " + what
                        + (named ? "." : "; the class was compiled without parameter names, javac needs -parameters."),
                "The idempotency key in the request is " + (value == null ? "missing" : what) + ".");
    }
}
