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
import org.springframework.expression.EvaluationContext;
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

    /** Context that notes the variables which an expression uses. */
    private static final class Context extends MethodBasedEvaluationContext {

        private final ValueText text;

        Context(GuardedMethod method, MethodInvocation call, ValueText text) {
            super(call.getThis(), method.method(), call.getArguments(), PARAMETER_NAMES);
            this.text = text;
        }

        @Override
        public @Nullable Object lookupVariable(String name) {
            Object value = super.lookupVariable(name);
            text.note(value);
            return value;
        }
    }

    /** Returns the text that an expression is evaluated for. */
    static ValueText textOf(EvaluationContext context) {
        return ((Context) context).text;
    }

    /** @param text the text that the value is evaluated for */
    @Nullable Object evaluate(Expression expression, GuardedMethod method, MethodInvocation call, ValueText text) {
        Integer known = parameters.get(expression);
        int parameter = known == null
                ? parameters.computeIfAbsent(
                        expression,
                        key -> GuardedMethod.parameter(key, method.method()).orElse(NONE))
                : known;
        return parameter == NONE ? evaluateInContext(expression, method, call, text) : call.getArguments()[parameter];
    }

    private @Nullable Object evaluateInContext(
            Expression expression, GuardedMethod method, MethodInvocation call, ValueText text) {
        Context context = new Context(method, call, text);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return expression.getValue(context);
    }
}
