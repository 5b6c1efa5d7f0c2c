package dev.fbf.spring.method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;

/** Evaluation of the annotation's expressions against a call's arguments and the application's beans. Thread-safe. */
final class Expressions {

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private final BeanFactory beans;

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

    /** @param text the text that the value is evaluated for, which has an expression as its source */
    @Nullable Object evaluate(GuardedMethod method, MethodInvocation call, ValueText text) {
        Context context = new Context(method, call, text);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return ((ValueSource.OfExpression) text.source()).expression().getValue(context);
    }
}
