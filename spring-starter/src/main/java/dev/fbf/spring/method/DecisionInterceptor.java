package dev.fbf.spring.method;

import dev.fbf.spring.operation.Execution;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Interceptor outside of all but asynchronous advice: ensures that a replay or a refusal of the guard reaches the caller, even if other
 * advice swallows or converts the exception.
 */
final class DecisionInterceptor implements MethodInterceptor {

    private static final String DECISION = DecisionInterceptor.class.getName();

    /** Decision of the guard: the exception in place of the method's result; null if there is none. */
    private static final class Decision {

        private final Thread thread = Thread.currentThread();
        private @Nullable RuntimeException thrown;
    }

    /**
     * Clears the decision of an earlier attempt.
     *
     * @throws IllegalStateException if advice has moved the call to another thread
     */
    static void begin(ProxyMethodInvocation invocation, String scope) {
        if (invocation.getUserAttribute(DECISION) instanceof Decision decision) {
            if (decision.thread != Thread.currentThread()) {
                throw Execution.otherThread(scope);
            }
            decision.thrown = null;
        }
    }

    /** Records the exception that the guard throws. */
    static void decided(ProxyMethodInvocation invocation, RuntimeException thrown) {
        if (invocation.getUserAttribute(DECISION) instanceof Decision decision) {
            decision.thrown = thrown;
        }
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Decision decision = new Decision();
        ((ProxyMethodInvocation) invocation).setUserAttribute(DECISION, decision);
        Object result = null;
        Throwable thrown = null;
        try {
            result = invocation.proceed();
        } catch (Throwable e) {
            thrown = e;
        }
        thrown = decision.thrown == null ? thrown : decision.thrown;
        if (thrown != null) {
            throw thrown;
        }
        return result;
    }
}
