package dev.fbf.spring;

import dev.fbf.core.OperationId;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** Names the operation of a call of an annotated method: by its scope, its caller and its key. */
final class AnnotatedOperationResolver implements OperationResolver {

    private final Supplier<KeyResolver> keys;
    private final Supplier<CallerResolver> callers;
    private final Supplier<HttpRequests> http;

    AnnotatedOperationResolver(
            Supplier<KeyResolver> keys, Supplier<CallerResolver> callers, Supplier<HttpRequests> http) {
        this.keys = keys;
        this.callers = callers;
        this.http = http;
    }

    @Override
    public @Nullable Operation resolve(GuardedMethod method, MethodInvocation call) {
        String key = keys.get().resolve(method, call);
        return key == null
                ? null
                : new Operation(
                        OperationId.of(method.scope(), callers.get().resolve(method, call), key),
                        key,
                        fingerprint(method));
    }

    private @Nullable Long fingerprint(GuardedMethod method) {
        return method.hasKeyInHeader() ? http.get().fingerprint() : null;
    }
}
