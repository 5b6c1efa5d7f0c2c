package dev.fbf.spring.method;

import dev.fbf.spring.transaction.Enlistment;
import dev.fbf.spring.transaction.GuardedCall;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Inside of every other advice: calls the annotated method in the transaction it finds, or in one of its own, and makes the
 * operation part of it first, unless the call is unguarded.
 */
final class EnlistInterceptor implements MethodInterceptor {

    /** Leaves the operation of a call for this interceptor. */
    static void leave(ProxyMethodInvocation call, Enlistment enlistment) {
        call.setUserAttribute(Enlistment.class.getName(), enlistment);
    }

    /** Leaves word for this interceptor that a call is unguarded. */
    static void leave(ProxyMethodInvocation call, PlatformTransactionManager manager) {
        call.setUserAttribute(PlatformTransactionManager.class.getName(), manager);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Enlistment enlistment = left(call, Enlistment.class);
        return enlistment == null
                ? GuardedCall.unguarded(
                        Objects.requireNonNull(left(call, PlatformTransactionManager.class)), call::proceed)
                : GuardedCall.inTransaction(enlistment, call::proceed);
    }

    private static <T> @Nullable T left(MethodInvocation call, Class<T> type) {
        return type.cast(((ProxyMethodInvocation) call).getUserAttribute(type.getName()));
    }
}
