package dev.fbf.spring.method;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.Expression;

/** Evaluation of the annotation's expressions against a call's arguments and the application's beans. Thread-safe. */
final class Expressions {

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private static final int NONE = -1;

    private final BeanFactory beans;

    /** The index of the parameter if the expression is only a parameter's name, as most are; otherwise {@link #NONE}. */
    private final Map<Expression, Integer> parameters = new ConcurrentHashMap<>();

    Expressions(BeanFactory beans) {
        this.beans = beans;
    }

    @Nullable Object evaluate(Expression expression, GuardedMethod method, MethodInvocation call) {
        Integer known = parameters.get(expression);
        int parameter = known == null
                ? parameters.computeIfAbsent(
                        expression,
                        key -> GuardedMethod.parameter(key, method.method()).orElse(NONE))
                : known;
        return parameter == NONE ? evaluateInContext(expression, method, call) : call.getArguments()[parameter];
    }

    private @Nullable Object evaluateInContext(Expression expression, GuardedMethod method, MethodInvocation call) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(call.getThis(), method.method(), call.getArguments(), PARAMETER_NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return expression.getValue(context);
    }
}
