package dev.fbf.spring.method;

import dev.fbf.core.OperationId;
import dev.fbf.db.Response;
import dev.fbf.spring.DuplicateOperationException;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.declaration.GuardedMethod;
import dev.fbf.spring.declaration.GuardedMethods;
import dev.fbf.spring.guard.Guards;
import dev.fbf.spring.guard.Operation;
import dev.fbf.spring.operation.Attempt;
import dev.fbf.spring.operation.HttpRequests;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationObservations;
import dev.fbf.spring.transaction.Enlistment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Outside of every transaction: calls an annotated method once for an operation, and responds to its retries. */
final class ClaimInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final Supplier<Parts> parts;

    /**
     * Makes one.
     *
     * @param parts is asked with the first call: beans that are needed to make others must not ask for them
     */
    ClaimInterceptor(GuardedMethods methods, Supplier<Parts> parts) {
        this.methods = methods;
        this.parts = parts;
    }

    /** What calls are guarded with. */
    record Parts(
            Guards guards,
            OperationExecutor executor,
            KeyResolver keys,
            CallerResolver callers,
            HttpRequests http,
            OperationObservations observations) {}

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        GuardedMethod method = methods.of(call);
        Parts known = parts.get();
        return known.observations.observe(
                method.scope(), observed -> new Call(known, method, (ProxyMethodInvocation) call, observed).invoke());
    }

    private record Call(
            Parts parts, GuardedMethod method, ProxyMethodInvocation invocation, OperationObservationContext observed) {

        @Nullable Object invoke() throws Throwable {
            Operation operation;
            try {
                operation = operation();
            } catch (OperationRefusedException e) {
                throw observed.refused(e);
            }
            if (operation == null) {
                observed.setOutcome(OperationOutcome.KEYLESS);
                EnlistInterceptor.leave(invocation, parts.guards.manager(method.settings()));
                return invocation.proceed();
            }
            Attempt<Object> attempt = parts.executor.execute(method.settings(), operation, observed, this::proceed);
            if (attempt.refusal() != null) {
                return respondAgain(operation);
            }
            recordResponse(operation);
            return attempt.result();
        }

        private @Nullable Operation operation() {
            String key = parts.keys.resolve(method, invocation);
            return key == null
                    ? null
                    : new Operation(
                            OperationId.of(method.scope(), parts.callers.resolve(method, invocation), key),
                            key,
                            method.hasKeyInHeader() ? parts.http.fingerprint() : null);
        }

        /** An invocation proceeds once: where there may be a next attempt, this one takes a copy. */
        private @Nullable Object proceed(Enlistment enlistment) throws Throwable {
            ProxyMethodInvocation attempt =
                    method.settings().waits() ? (ProxyMethodInvocation) invocation.invocableClone() : invocation;
            EnlistInterceptor.leave(attempt, enlistment);
            return attempt.proceed();
        }

        private void recordResponse(Operation operation) {
            Consumer<Response> responses = respondsToRequest() ? parts.guards.responses(method) : null;
            if (responses != null) {
                parts.http.recordResponse(operation.id().toUuid(), responses);
            }
        }

        /** Whether the client's response is what the method returns. */
        private boolean respondsToRequest() {
            return method.handlesRequests() && parts.http.inRequest();
        }

        private @Nullable Object respondAgain(Operation operation) throws Throwable {
            if (respondsToRequest()) {
                parts.http.respondWith(HttpRequests.REPLAYED, "true");
                Response response = parts.guards.response(method, operation);
                if (response != null) {
                    throw new ReplayedResponseException(response);
                }
            }
            if (method.onDuplicate() != null) {
                return call(method.onDuplicate());
            }
            if (method.method().getReturnType() == void.class && !method.handlesRequests()) {
                return null;
            }
            throw new DuplicateOperationException(method.scope());
        }

        /** Through the proxy where there is a way, so that the method's own annotations count. */
        private @Nullable Object call(Method onDuplicate) throws Throwable {
            boolean onProxy = !Modifier.isPrivate(onDuplicate.getModifiers())
                    && onDuplicate.getDeclaringClass().isInstance(invocation.getProxy());
            try {
                return onDuplicate.invoke(
                        onProxy ? invocation.getProxy() : invocation.getThis(), invocation.getArguments());
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        }
    }
}
