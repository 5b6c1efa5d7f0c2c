package dev.fbf.spring.method;

import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.FirstResponse;
import dev.fbf.spring.operation.GuardedMethod;
import dev.fbf.spring.operation.GuardedMethods;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.HttpRequests;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationGuards;
import dev.fbf.spring.operation.OperationObservations;
import dev.fbf.spring.operation.PendingResponses;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ReplayedResponseException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ReflectionUtils;

/** Outside of the method's transaction: calls an annotated method once for an operation, and responds to its retries. */
final class ClaimInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final Supplier<Parts> parts;

    /**
     * @param parts is asked with the first call: beans that are needed to make others must not ask for them
     */
    ClaimInterceptor(GuardedMethods methods, Supplier<Parts> parts) {
        this.methods = methods;
        this.parts = parts;
    }

    /** What calls are guarded with. */
    record Parts(
            OperationGuards guards,
            OperationExecutor executor,
            OperationResolver operations,
            HttpRequests http,
            OperationObservations observations,
            PendingResponses pending) {}

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        GuardedMethod method = methods.of(invocation);
        Parts known = parts.get();
        ProxyMethodInvocation called = (ProxyMethodInvocation) invocation;
        StandingInterceptor.begin(called, method.scope());
        return known.observations.observe(method.scope(), observed -> {
            try {
                return new Call(known, method, called, known.http.current(), observed).invoke();
            } catch (OperationRefusedException | ReplayedResponseException e) {
                if (isDecided(observed)) {
                    StandingInterceptor.decided(called, e);
                }
                throw e;
            }
        });
    }

    /** Whether an exception is this call's own, and not that of a call within the method. */
    private static boolean isDecided(OperationObservationContext observed) {
        return observed.getOutcome() != null && observed.getOutcome() != OperationOutcome.KEYLESS;
    }

    /** A call. */
    private static final class Call {

        private final Parts parts;
        private final GuardedMethod method;
        private final ProxyMethodInvocation invocation;

        /** The request that this thread serves; null if it serves none. */
        private final @Nullable HttpRequest request;

        private final OperationObservationContext observed;

        Call(
                Parts parts,
                GuardedMethod method,
                ProxyMethodInvocation invocation,
                @Nullable HttpRequest request,
                OperationObservationContext observed) {
            this.parts = parts;
            this.method = method;
            this.invocation = invocation;
            this.request = request;
            this.observed = observed;
        }

        @Nullable Object invoke() throws Throwable {
            OperationGuard guard;
            Operation operation;
            try {
                guard = parts.guards.of(method.settings());
                operation = parts.operations.resolve(method, invocation, request);
            } catch (OperationRefusedException e) {
                throw observed.refused(e);
            }
            if (operation == null) {
                observed.setOutcome(OperationOutcome.KEYLESS);
                EnlistInterceptor.leave(invocation, method.scope(), guard.unguarded());
                return invocation.proceed();
            }
            FirstResponse response = parts.pending.to(guard, operation, method.handlesRequests() ? request : null);
            try {
                Object result = parts.executor.execute(
                        guard,
                        operation,
                        observed,
                        attempt -> proceed(response, attempt),
                        () -> respondAgain(response));
                response.record();
                return result;
            } finally {
                response.end();
            }
        }

        /** An invocation proceeds once: where there may be a next attempt, this one takes a copy. */
        private @Nullable Object proceed(FirstResponse response, AdmittedOperation context) throws Throwable {
            ProxyMethodInvocation attempt =
                    method.settings().waits() ? (ProxyMethodInvocation) invocation.invocableClone() : invocation;
            EnlistInterceptor.leave(attempt, method.scope(), context);
            response.begin(context);
            return attempt.proceed();
        }

        /** The first response if it was kept; else that of onDuplicate; else 204, or an exception where a result is expected. */
        private @Nullable Object respondAgain(FirstResponse response) throws Throwable {
            response.replay(observed);
            if (method.onDuplicate() != null) {
                return call(method.onDuplicate());
            }
            if (method.method().getReturnType() == void.class && !method.handlesRequests()) {
                return null;
            }
            throw Refusals.duplicate(method.scope());
        }

        /** Through the proxy where there is a way, so that the method's own annotations count. */
        private @Nullable Object call(Method onDuplicate) throws Throwable {
            Object receiver = isPassedOnByProxy(onDuplicate) ? invocation.getProxy() : invocation.getThis();
            try {
                return onDuplicate.invoke(receiver, invocation.getArguments());
            } catch (InvocationTargetException e) {
                throw e.getTargetException();
            }
        }

        /** A method that is private or final is not: it would run on the proxy itself, whose fields are null. */
        private boolean isPassedOnByProxy(Method onDuplicate) {
            Object proxy = invocation.getProxy();
            return onDuplicate.getDeclaringClass().isInstance(proxy)
                    && Stream.of(ReflectionUtils.getDeclaredMethods(proxy.getClass()))
                            .anyMatch(method -> method.getName().equals(onDuplicate.getName())
                                    && Arrays.equals(method.getParameterTypes(), onDuplicate.getParameterTypes()));
        }
    }
}
