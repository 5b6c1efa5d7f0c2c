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

/** Evaluates the annotation's expressions over the parameters of a call, and over beans. Thread-safe. */
final class Expressions {

    private final ParameterNameDiscoverer parameterNames = new DefaultParameterNameDiscoverer();
    private final BeanFactory beans;

    Expressions(BeanFactory beans) {
        this.beans = beans;
    }

    @Nullable Object evaluate(Expression expression, GuardedMethod method, MethodInvocation call) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(call.getThis(), method.method(), call.getArguments(), parameterNames);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return expression.getValue(context);
    }

    /** Whether parameters have names: without them every #name is null, which nobody would guess. */
    boolean knowParameters(GuardedMethod method) {
        @Nullable String @Nullable [] names = parameterNames.getParameterNames(method.method());
        return names != null && Arrays.stream(names).noneMatch(name -> name == null);
    }
}
