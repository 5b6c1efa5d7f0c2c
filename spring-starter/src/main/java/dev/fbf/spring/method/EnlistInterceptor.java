package dev.fbf.spring.method;

import dev.fbf.spring.transaction.GuardedCall;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Inside of every other advice: calls the annotated method in the transaction it finds, or in one of its own, and makes the
 * operation part of it first, unless the call is unguarded.
 */
final class EnlistInterceptor implements MethodInterceptor {

    private static final String LEFT = EnlistInterceptor.class.getName();

    /** Leaves word for this interceptor how a method is called. */
    static void leave(ProxyMethodInvocation invocation, GuardedCall call) {
        invocation.setUserAttribute(LEFT, call);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object left = Objects.requireNonNull(((ProxyMethodInvocation) invocation).getUserAttribute(LEFT));
        return ((GuardedCall) left).inTransaction(invocation::proceed);
    }
}
