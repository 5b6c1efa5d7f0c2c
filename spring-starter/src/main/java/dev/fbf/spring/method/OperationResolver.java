package dev.fbf.spring.method;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.fbf.spring.CallerResolver;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.RequestKey;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.Expression;

/** Resolver of the operation that a call requests. Equal keys of two callers name two operations. */
public final class OperationResolver {

    private final BeanFactory beans;
    private final KeyHeader header;
    private final Caller authenticated;
    private final @Nullable CallerResolver callers;

    /** @param callers the application's resolver; null if it has none */
    OperationResolver(BeanFactory beans, KeyHeader header, Caller authenticated, @Nullable CallerResolver callers) {
        this.beans = beans;
        this.header = header;
        this.authenticated = authenticated;
        this.callers = callers;
    }

    /**
     * Resolves the operation.
     *
     * @param request the request of this thread; null if there is none
     * @return the operation; null if the call has no key and needs none
     * @throws IdempotencyKeyException if the key is missing or unreadable, or an authenticated caller is not named
     * @throws RuntimeException if the body of the request cannot be read
     * @throws IllegalStateException if the key must come from a request and there is none, or the key or caller has no stable text
     */
    @Nullable Operation resolve(GuardedMethod method, MethodInvocation call, @Nullable HttpRequest request) {
        String scope = method.settings().scope();
        if (method.key() != null) {
            ValueText text = textFor(method, "key", method.key());
            String key = named(method, call, text);
            return key == null ? null : new Operation(scope, caller(method, call, text.requestKey), key, null);
        }
        if (request == null) {
            throw new IllegalStateException("@IdempotentIncrement on " + method.method()
                    + ": the method was not called by an HTTP request, so there is no " + header.name()
                    + " header. Name the key with key = \"#…\".");
        }
        String key = header.read(request, scope, method.keyRequired());
        return key == null ? null : new Operation(scope, caller(method, call, null), key, request.fingerprint(scope));
    }

    /** @param key the request's key that the operation's key is made of; null if there is none */
    private String caller(GuardedMethod method, MethodInvocation call, @Nullable RequestKey key) {
        String scope = method.settings().scope();
        if (method.belongsToLogin()) {
            return key == null ? login(scope) : key.caller();
        }
        if (method.caller() != null) {
            ValueText text = textFor(method, "caller", method.caller());
            return callerOf(text.evaluate(method.caller(), method.method(), call, beans), text);
        }
        if (method.isCallerResolved()) {
            return resolved(method.method(), scope, call.getArguments());
        }
        return key == null ? "" : key.caller();
    }

    private String resolved(Method method, @Nullable String scope, @Nullable Object... arguments) {
        return callerOf(
                requireNonNull(callers).resolveCaller(method, arguments),
                new ValueText(
                        authenticated, scope, OperationSettings.declaredBy(method), "caller", "of the CallerResolver"));
    }

    /** Returns the caller that the application names. Without a name, all users would be the same caller. */
    private String callerOf(@Nullable Object value, ValueText text) {
        String name = written(value, text);
        if (name == null && !login(text.scope).isEmpty()) {
            throw OperationRefusedException.of(
                    OperationOutcome.KEY_INVALID,
                    text.scope,
                    "The caller, " + text.from
                            + ", is null, although a user is authenticated. The user's keys could not be distinguished"
                            + " from those of other users, so the operation was not applied. Name a caller for each"
                            + " user. If all users are the same caller, write caller = \"''\" in @IdempotentIncrement,"
                            + " or return an empty text from the CallerResolver.",
                    "The request does not name the caller that its idempotency key belongs to.");
        }
        return name == null ? "" : name;
    }

    /**
     * Reads the key of a request for its handler, unless it was read before. A {@link CallerResolver} gets no arguments, because the
     * handler's are still being resolved.
     *
     * @return the key; null if the request has none and needs none
     * @throws IdempotencyKeyException if the key is missing or unreadable, or an authenticated caller is not named
     * @throws IllegalStateException if the caller has no stable text
     */
    public @Nullable IdempotencyKey keyOf(HttpRequest request, Method handler, boolean required) {
        if (request.key() != null) {
            return request.key();
        }
        String key = header.read(request, null, required);
        return key == null ? null : request.take(key, callers == null ? login(null) : resolved(handler, null));
    }

    private String login(@Nullable String scope) {
        String name = authenticated.name(scope);
        return name.isEmpty() ? name : requireUnicode(name, scope, "caller", "");
    }

    private @Nullable String named(GuardedMethod method, MethodInvocation call, ValueText text) {
        Object named = text.evaluate(requireNonNull(method.key()), method.method(), call, beans);
        String value = written(named, text);
        if (value != null && !value.isBlank()) {
            return value;
        }
        if (value == null && !method.keyRequired()) {
            return null;
        }
        throw OperationRefusedException.of(
                OperationOutcome.KEY_INVALID,
                method.settings().scope(),
                "The idempotency key, " + text.from + ", is " + (value == null ? "null." : "blank."),
                "The idempotency key in the request is " + (value == null ? "missing." : "blank."));
    }

    private ValueText textFor(GuardedMethod method, String attribute, Expression expression) {
        OperationSettings settings = method.settings();
        return new ValueText(
                authenticated, settings.scope(), settings.declaredBy(), attribute, expression.getExpressionString());
    }

    /** Returns the text of a value; null if there is none. */
    private static @Nullable String written(@Nullable Object given, ValueText text) {
        Object value = KeyValue.unwrap(given);
        return value == null
                ? null
                : requireUnicode(
                        text.of(value),
                        text.scope,
                        text.attribute.equals("key") ? "idempotency key" : "caller",
                        ", " + text.from + ",");
    }

    private static String requireUnicode(String text, @Nullable String scope, String what, String from) {
        if (!new String(text.getBytes(UTF_8), UTF_8).equals(text)) {
            throw OperationRefusedException.of(
                    OperationOutcome.KEY_INVALID,
                    scope,
                    "The " + what + from + " has an unpaired surrogate.",
                    "The " + what + " in the request is malformed Unicode: it has an unpaired surrogate.");
        }
        return text;
    }
}
