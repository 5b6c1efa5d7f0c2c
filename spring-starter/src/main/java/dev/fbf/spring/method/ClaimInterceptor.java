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

/** Interceptor that calls an annotated method for operations that are not applied yet, and responds to retries of applied ones. */
final class ClaimInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final Supplier<OperationExecutor> executor;
    private final Supplier<OperationResolver> operations;

    /**
     * Creates an interceptor. The suppliers are not called before the first invocation, because infrastructure beans must not trigger the
     * creation of other beans.
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
        DecisionInterceptor.begin(called, method.scope());
        return executor.get()
                .<@Nullable Object, Throwable>executeMethod(
                        method.settings(),
                        method.handlesRequests(),
                        request -> operations.get().resolve(method, called, request),
                        thrown -> DecisionInterceptor.decided(called, thrown),
                        execution -> proceed(method, called, execution),
                        () -> respondAgain(method, called));
    }

    /** Calls the method. An invocation can proceed only once, so an attempt that another one may follow uses a copy. */
    private static @Nullable Object proceed(GuardedMethod method, ProxyMethodInvocation invocation, Execution execution)
            throws Throwable {
        ProxyMethodInvocation attempt = method.settings().waitInProgress().isZero()
                ? invocation
                : (ProxyMethodInvocation) invocation.invocableClone();
        attempt.setUserAttribute(EnterInterceptor.EXECUTION, execution);
        return attempt.proceed();
    }

    /**
     * Responds to a retry for which no first response is kept: with the result of onDuplicate, if there is one.
     *
     * @return null without onDuplicate, for a void method that is not a handler
     * @throws dev.fbf.spring.DuplicateOperationException without onDuplicate, for all other methods; HTTP clients get 204
     */
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

    /** Calls onDuplicate through the proxy if possible, so that its own annotations apply. */
    private static @Nullable Object call(Method onDuplicate, ProxyMethodInvocation invocation) throws Throwable {
        Object receiver =
                isPassedOnByProxy(onDuplicate, invocation.getProxy()) ? invocation.getProxy() : invocation.getThis();
        try {
            return onDuplicate.invoke(receiver, invocation.getArguments());
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    /**
     * Returns whether the proxy delegates the method. It does not delegate private and final methods: they would run on the proxy itself,
     * whose fields are null.
     */
    private static boolean isPassedOnByProxy(Method onDuplicate, Object proxy) {
        return onDuplicate.getDeclaringClass().isInstance(proxy)
                && Stream.of(ReflectionUtils.getDeclaredMethods(proxy.getClass()))
                        .anyMatch(method -> method.getName().equals(onDuplicate.getName())
                                && Arrays.equals(method.getParameterTypes(), onDuplicate.getParameterTypes()));
    }
}
