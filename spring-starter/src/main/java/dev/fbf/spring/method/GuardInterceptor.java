package dev.fbf.spring.method;

import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.HttpRequest;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/**
 * Interceptor of annotated methods, in place of Spring's transaction advice: takes the claim of the operation, and calls that advice for one
 * that is not applied yet. The operation enters the transaction that the advice begins; without advice, the guard begins one. Thread-safe.
 *
 * @param executor not called before the first invocation, as the next: infrastructure beans must not trigger the creation of other beans
 * @param transactions the advice; null if there is none
 */
record GuardInterceptor(
        GuardedMethods methods,
        Supplier<OperationExecutor> executor,
        Supplier<OperationResolver> operations,
        @Nullable TransactionInterceptor transactions)
        implements MethodInterceptor {

    /** Returns this interceptor for methods with Spring's transaction advice, which it calls. */
    GuardInterceptor around(TransactionInterceptor advice) {
        return new GuardInterceptor(methods, executor, operations, advice);
    }

    @Override
    @SuppressWarnings("NullAway") // null where the method, or its substitute, returns null
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        GuardedMethod method = methods.of(invocation);
        ProxyMethodInvocation called = (ProxyMethodInvocation) invocation;
        return executor.get()
                .<@Nullable Object, Throwable>executeMethod(
                        method.settings(),
                        method.keepsResponse(),
                        request -> operations.get().resolve(method, called, request),
                        execution -> {
                            MethodInvocation attempt = called.invocableClone(); // each can proceed only once
                            return transactions == null
                                    ? execution.<@Nullable Object, Throwable>call(attempt::proceed)
                                    : transactions.invoke(new Entering(attempt, execution));
                        },
                        () -> respondAgain(method, called));
    }

    /** Invocation that enters the operation in the transaction of its advice, if there is one, and calls the method. */
    private record Entering(MethodInvocation attempt, Execution execution) implements MethodInvocation {

        @Override
        @SuppressWarnings("NullAway") // null if the method returns null, or the execution was refused
        public @Nullable Object proceed() throws Throwable {
            TransactionManager its = TransactionOfAdvice.manager();
            if (its != null && !execution.isManagedBy(its)) {
                throw new IllegalStateException(OperationSettings.declaredBy(getMethod())
                        + ": its transaction is not of the operation's transaction manager, so the two would commit"
                        + " separately. The operation was not applied. Name one manager: @Transactional(\"…\"), or"
                        + " @IdempotentIncrement(transactionManager = \"…\").");
            }
            return execution.<@Nullable Object, Throwable>call(attempt::proceed);
        }

        @Override
        public Method getMethod() {
            return attempt.getMethod();
        }

        @Override
        public @Nullable Object[] getArguments() {
            return attempt.getArguments();
        }

        @Override
        public @Nullable Object getThis() {
            return attempt.getThis();
        }

        @Override
        public AccessibleObject getStaticPart() {
            return attempt.getStaticPart();
        }
    }

    /** Access to the transaction that the advice of this thread's method has begun or joined. */
    private static final class TransactionOfAdvice extends TransactionAspectSupport {

        private static final long serialVersionUID = 1L;

        /** Returns the transaction's manager; null if the advice has no transaction. */
        static @Nullable TransactionManager manager() {
            TransactionInfo info = currentTransactionInfo();
            return info != null && info.hasTransaction() ? info.getTransactionManager() : null;
        }
    }

    /**
     * Responds to a retry for which no first response is kept: with the result of onDuplicate, if there is one.
     *
     * @return null without onDuplicate, for a void method that is not a handler
     * @throws dev.fbf.spring.DuplicateOperationException without onDuplicate, for all other methods; HTTP clients get 204
     */
    private @Nullable Object respondAgain(GuardedMethod method, ProxyMethodInvocation invocation) throws Throwable {
        HttpRequest request = executor.get().request();
        if (request != null && method.handlesRequests()) {
            request.replayed();
        }
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

    /** Returns whether the proxy delegates the method. A private or final one would run on the proxy itself, whose fields are null. */
    private static boolean isPassedOnByProxy(Method onDuplicate, Object proxy) {
        return onDuplicate.getDeclaringClass().isInstance(proxy)
                && !Modifier.isPrivate(onDuplicate.getModifiers())
                && !Modifier.isFinal(onDuplicate.getModifiers());
    }
}
