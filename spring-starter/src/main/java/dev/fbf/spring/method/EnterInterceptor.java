package dev.fbf.spring.method;

import dev.fbf.spring.operation.Execution;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Innermost advice, which calls the annotated method in the context of its operation, such as a transaction. */
final class EnterInterceptor implements MethodInterceptor {

    /** Attribute of the invocation with the execution of its call. */
    static final String EXECUTION = EnterInterceptor.class.getName();

    @Override
    @SuppressWarnings("NullAway") // null if the method returns null, or the execution was refused
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object execution = ((ProxyMethodInvocation) invocation).getUserAttribute(EXECUTION);
        return ((Execution) Objects.requireNonNull(execution)).<@Nullable Object, Throwable>call(invocation::proceed);
    }
}
