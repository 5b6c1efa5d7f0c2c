package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Outside of every transaction: lets an operation through to its method once, and answers its retries. */
final class ClaimInterceptor implements MethodInterceptor {

    /*
     * Two interceptors guard a method. This one comes first, before any transaction begins: a retry costs neither a
     * connection nor a transaction, and the claim is taken before there is anything to commit. EnlistInterceptor comes
     * last, inside whatever transaction the method runs in, be it the caller's, that of a @Transactional, or its own;
     * it ties the claim to that transaction's outcome. They share the Enlistment through the invocation.
     */
    private final GuardedMethods methods;
    private final Supplier<Guards> guards;
    private final Supplier<KeyResolver> keys;
    private final Supplier<HttpRequests> http;

    ClaimInterceptor(
            GuardedMethods methods, Supplier<Guards> guards, Supplier<KeyResolver> keys, Supplier<HttpRequests> http) {
        this.methods = methods;
        this.guards = guards;
        this.keys = keys;
        this.http = http;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        GuardedMethod method = methods.get(
                call.getMethod(), Objects.requireNonNull(call.getThis()).getClass());
        OperationId id = OperationId.of(method.scope(), "", keys.get().resolve(method, call));
        Admission admission = guards.get().admit(method.scope(), id);
        if (admission instanceof Claim claim) {
            return apply(claim, call);
        }
        return switch ((Refusal) admission) {
            case APPLIED -> answerAgain(method, call);
            case IN_PROGRESS -> throw new OperationInProgressException(method.scope());
            case IN_DOUBT ->
                throw new OperationUnavailableException(
                        method.scope(), "whether the operation was applied is not known yet");
            case NO_ROOM ->
                throw new OperationUnavailableException(
                        method.scope(), "as many operations as there is room for are being applied (fbf.max-claims)");
            case STOPPED -> throw new OperationUnavailableException(method.scope(), "the application is stopping");
        };
    }

    private static @Nullable Object apply(Claim claim, MethodInvocation call) throws Throwable {
        Enlistment enlistment = new Enlistment(claim);
        ((ProxyMethodInvocation) call).setUserAttribute(Enlistment.class.getName(), enlistment);
        try {
            return call.proceed();
        } finally {
            enlistment.freeUnlessEnlisted();
        }
    }

    private @Nullable Object answerAgain(GuardedMethod method, MethodInvocation call) throws Throwable {
        if (http.get().inRequest()) {
            http.get().answerWith("Idempotent-Replayed", "true");
        }
        if (method.onDuplicate() != null) {
            return callOnDuplicate(method.onDuplicate(), (ProxyMethodInvocation) call);
        }
        if (method.method().getReturnType() == void.class && !method.handlesRequests()) {
            return null;
        }
        throw new DuplicateOperationException(method.scope());
    }

    /** Through the proxy where there is a way, so that the method's own annotations count. */
    private static @Nullable Object callOnDuplicate(Method onDuplicate, ProxyMethodInvocation call) throws Throwable {
        boolean onProxy = !Modifier.isPrivate(onDuplicate.getModifiers())
                && onDuplicate.getDeclaringClass().isInstance(call.getProxy());
        try {
            return onDuplicate.invoke(onProxy ? call.getProxy() : call.getThis(), call.getArguments());
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
