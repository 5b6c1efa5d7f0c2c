package dev.fbf.spring.method;

import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.Refusals;
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
    private final Supplier<OperationExecutor> executor;
    private final Supplier<OperationResolver> operations;

    /**
     * The suppliers are not called before the first invocation: infrastructure beans must not trigger the creation of other beans.
     */
    ClaimInterceptor(
            GuardedMethods methods, Supplier<OperationExecutor> executor, Supplier<OperationResolver> operations) {
        this.methods = methods;
        this.executor = executor;
        this.operations = operations;
    }

    @Override
    @SuppressWarnings("NullAway") // null where the method, or its substitute, returns null
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        GuardedMethod method = methods.of(invocation);
        ProxyMethodInvocation called = (ProxyMethodInvocation) invocation;
        StandingInterceptor.begin(called, method.scope());
        return executor.get()
                .<@Nullable Object, Throwable>execute(
                        method.settings(),
                        method.handlesRequests(),
                        request -> operations.get().resolve(method, called, request),
                        thrown -> StandingInterceptor.decided(called, thrown),
                        execution -> proceed(method, called, execution),
                        () -> respondAgain(method, called));
    }

    /** An invocation proceeds once: where there may be a next attempt, this one takes a copy. */
    private static @Nullable Object proceed(GuardedMethod method, ProxyMethodInvocation invocation, Execution execution)
            throws Throwable {
        ProxyMethodInvocation attempt =
                method.settings().waits() ? (ProxyMethodInvocation) invocation.invocableClone() : invocation;
        EnlistInterceptor.leave(attempt, execution);
        return attempt.proceed();
    }

    /** Where the first response was not kept: that of onDuplicate; else 204, or an exception where a result is expected. */
    private static @Nullable Object respondAgain(GuardedMethod method, ProxyMethodInvocation invocation)
            throws Throwable {
        if (method.onDuplicate() != null) {
            return call(method.onDuplicate(), invocation);
        }
        if (method.method().getReturnType() == void.class && !method.handlesRequests()) {
            return null;
        }
        throw Refusals.duplicate(method.scope());
    }

    /** Through the proxy where there is a way, so that the method's own annotations count. */
    private static @Nullable Object call(Method onDuplicate, ProxyMethodInvocation invocation) throws Throwable {
        Object receiver =
                isPassedOnByProxy(onDuplicate, invocation.getProxy()) ? invocation.getProxy() : invocation.getThis();
        try {
            return onDuplicate.invoke(receiver, invocation.getArguments());
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /** A method that is private or final is not: it would run on the proxy itself, whose fields are null. */
    private static boolean isPassedOnByProxy(Method onDuplicate, Object proxy) {
        return onDuplicate.getDeclaringClass().isInstance(proxy)
                && Stream.of(ReflectionUtils.getDeclaredMethods(proxy.getClass()))
                        .anyMatch(method -> method.getName().equals(onDuplicate.getName())
                                && Arrays.equals(method.getParameterTypes(), onDuplicate.getParameterTypes()));
    }
}
