package dev.fbf.spring;

import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;

/** Finds the idempotency key of a call. */
final class KeyResolver {

    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final BeanFactory beans;
    private final HttpRequests http;

    KeyResolver(BeanFactory beans, HttpRequests http) {
        this.beans = beans;
        this.http = http;
    }

    /**
     * Finds the key.
     *
     * @throws IdempotencyKeyException if the call has none
     * @throws IllegalStateException if it comes neither by HTTP nor with an expression
     */
    String resolve(GuardedMethod method, MethodInvocation call) {
        if (method.key() != null) {
            return evaluate(method, method.key(), call);
        }
        if (!http.inRequest()) {
            throw new IllegalStateException("@IdempotentIncrement on " + method.method()
                    + ": was not called by an HTTP request, so there is no " + IdempotencyKey.HEADER
                    + " header. Say where the key is, with key = \"#…\".");
        }
        return IdempotencyKey.parse(http.header(IdempotencyKey.HEADER));
    }

    private String evaluate(GuardedMethod method, Expression expression, MethodInvocation call) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(call.getThis(), method.method(), call.getArguments(), parameterNames);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        Object value = expression.getValue(context);
        String key = value == null ? "" : value.toString();
        if (key.isBlank()) {
            throw new IdempotencyKeyException("The idempotency key, " + expression.getExpressionString() + ", is "
                    + (value == null ? "null" : "blank") + hint(method) + ".");
        }
        return key;
    }

    /** Without parameter names every #name is null, which nobody would guess. */
    private String hint(GuardedMethod method) {
        @Nullable String @Nullable [] names = parameterNames.getParameterNames(method.method());
        return names != null && Arrays.stream(names).noneMatch(name -> name == null)
                ? ""
                : "; the class was compiled without parameter names, javac needs -parameters";
    }
}
