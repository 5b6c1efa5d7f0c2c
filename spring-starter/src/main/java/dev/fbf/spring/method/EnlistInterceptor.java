package dev.fbf.spring.method;

import dev.fbf.spring.admission.CallContext;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Inside of every other advice: calls the annotated method in the context of its operation, such as a transaction. */
final class EnlistInterceptor implements MethodInterceptor {

    private static final String LEFT = EnlistInterceptor.class.getName();

    /** Leaves word for this interceptor how a method is called. */
    static void leave(ProxyMethodInvocation invocation, CallContext context) {
        invocation.setUserAttribute(LEFT, context);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object left = Objects.requireNonNull(((ProxyMethodInvocation) invocation).getUserAttribute(LEFT));
        return ((CallContext) left).call(invocation::proceed);
    }
}
