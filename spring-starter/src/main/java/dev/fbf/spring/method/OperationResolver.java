package dev.fbf.spring.method;

import dev.fbf.core.OperationId;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.admission.Operation;
import dev.fbf.spring.declaration.GuardedMethod;
import dev.fbf.spring.declaration.KeyValue;
import dev.fbf.spring.key.KeyHeader;
import dev.fbf.spring.key.KeylessCalls;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.RequestKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/** Finds the operation that a call asks for. The same key of two callers names two operations. */
public final class OperationResolver {

    private static final String NOBODY = "nobody in particular";

    private final Expressions expressions;
    private final KeyHeader header;
    private final Caller authenticated;
    private final KeylessCalls keyless;

    OperationResolver(Expressions expressions, KeyHeader header, Caller authenticated, KeylessCalls keyless) {
        this.expressions = expressions;
        this.header = header;
        this.authenticated = authenticated;
        this.keyless = keyless;
    }

    /** Whose key a call's key is, in words. */
    public String owner(GuardedMethod method) {
        if (method.caller() != null) {
            return "the caller, as the application tells them apart";
        }
        return method.belongsToLogin() ? ownerOfRequest() : NOBODY;
    }

    /** Whose key a request's key is, in words. */
    public String ownerOfRequest() {
        return authenticated == Caller.ANYBODY ? NOBODY : "the authenticated user";
    }

    /**
     * Finds the operation.
     *
     * @param request that this thread serves; null if it serves none
     * @return the operation; null if the call has no key and needs none
     * @throws IdempotencyKeyException if the call has none that can be read
     * @throws IllegalStateException if it comes neither by HTTP nor with an expression
     */
    @Nullable Operation resolve(GuardedMethod method, MethodInvocation call, @Nullable HttpRequest request) {
        Expression expression = method.key();
        String key = expression == null ? fromHeader(method, request) : evaluate(method, expression, call);
        if (key == null) {
            keyless.passed(method.scope());
            return null;
        }
        String caller = caller(method, call);
        return new Operation(
                OperationId.of(method.scope(), caller, key),
                caller,
                key,
                expression == null && request != null ? request.fingerprint() : null);
    }

    private String caller(GuardedMethod method, MethodInvocation call) {
        if (method.caller() == null) {
            return method.belongsToLogin() ? login() : "";
        }
        String name = text(method.caller(), "caller", method, call);
        return name == null ? "" : name;
    }

    private @Nullable String fromHeader(GuardedMethod method, @Nullable HttpRequest request) {
        if (request == null) {
            throw new IllegalStateException("@IdempotentIncrement on " + method.method()
                    + ": was not called by an HTTP request, so there is no " + header.name()
                    + " header. Say where the key is, with key = \"#…\".");
        }
        request.reached();
        return read(request, method.required());
    }

    private @Nullable String read(HttpRequest request, boolean required) {
        List<String> lines = request.header(header.name());
        return lines.isEmpty() && !required ? null : header.read(lines);
    }

    /**
     * Reads the key of a request for its handler.
     *
     * @return the key; null if the request has none and needs none
     * @throws IdempotencyKeyException if the request has none that can be read
     */
    public @Nullable RequestKey keyOf(HttpRequest request, boolean required) {
        String key = read(request, required);
        return key == null ? null : new RequestKey(key, login());
    }

    private String login() {
        return requireUnicode(authenticated.name(), "caller", "");
    }

    private @Nullable String evaluate(GuardedMethod method, Expression expression, MethodInvocation call) {
        String value = text(expression, "key", method, call);
        if (value != null && !value.isBlank()) {
            return value;
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

    private @Nullable String text(
            Expression expression, String attribute, GuardedMethod method, MethodInvocation call) {
        Object value = KeyValue.unwrap(expressions.evaluate(expression, method, call));
        if (value == null) {
            return null;
        }
        String text = expression.getExpressionString();
        String name = authenticated.nameOf(value);
        return requireUnicode(
                name != null
                        ? name
                        : KeyValue.textOf(value, method.settings().declaredBy() + ": " + attribute + "=" + text),
                attribute.equals("key") ? "idempotency key" : "caller",
                ", " + text + ",");
    }

    private static String requireUnicode(String text, String what, String from) {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IdempotencyKeyException(
                    "The " + what + from + " has half of a surrogate pair.",
                    "The " + what + " in the request is no Unicode text: it has half of a surrogate pair.");
        }
        return text;
    }
}
