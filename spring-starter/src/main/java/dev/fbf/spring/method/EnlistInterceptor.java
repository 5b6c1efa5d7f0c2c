package dev.fbf.spring.method;

import dev.fbf.spring.operation.CallContext;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Inside of every other advice: calls the annotated method in the context of its operation, such as a transaction. */
final class EnlistInterceptor implements MethodInterceptor {

    private static final String LEFT = EnlistInterceptor.class.getName();

    /** How a method is called, and by which thread. */
    private record Left(String scope, CallContext context, Thread thread) {}

    /** Leaves word for this interceptor how a method is called. */
    static void leave(ProxyMethodInvocation invocation, String scope, CallContext context) {
        invocation.setUserAttribute(LEFT, new Left(scope, context, Thread.currentThread()));
    }

    /** The claim ends when the thread that took it returns: it must not protect the work of a thread that may go on. */
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Left left = (Left) Objects.requireNonNull(((ProxyMethodInvocation) invocation).getUserAttribute(LEFT));
        requireThread(left.thread, left.scope);
        return left.context.call(invocation::proceed);
    }

    /**
     * Checks that advice has not changed the thread.
     *
     * @throws IllegalStateException if it has
     */
    static void requireThread(Thread before, String scope) {
        if (before != Thread.currentThread()) {
            throw new IllegalStateException("scope=" + scope
                    + ": advice of this method continues on another thread, so its operation was not applied. Use @Async, or let"
                    + " the method that continues on the other thread call the guarded one on another bean.");
        }
    }
}
