package dev.fbf.spring.method;

import dev.fbf.spring.operation.RequestKey;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;

/** Text of a key or a caller, written from the values that name it. Notes the key of a request among them. Confined to one call. */
final class ValueText {

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    final @Nullable String scope;
    final String attribute;
    final String from;
    private final Caller callers;
    private final String declaredBy;

    /** The key of a request among the values; null if there is none. */
    @Nullable RequestKey requestKey;

    /**
     * @param callers names principals
     * @param scope the operation's scope for messages; null if not known
     * @param declaredBy the method that the value is for, for messages
     * @param attribute the attribute of the annotation
     * @param from the source of the value in words: an expression, or a bean
     */
    ValueText(Caller callers, @Nullable String scope, String declaredBy, String attribute, String from) {
        this.callers = callers;
        this.scope = scope;
        this.declaredBy = declaredBy;
        this.attribute = attribute;
        this.from = from;
    }

    /** Context of an expression over a call's arguments and the application's beans, which notes the variables. */
    private final class Context extends MethodBasedEvaluationContext {

        Context(Method method, MethodInvocation call) {
            super(call.getThis(), method, call.getArguments(), PARAMETER_NAMES);
        }

        @Override
        public @Nullable Object lookupVariable(String name) {
            Object value = super.lookupVariable(name);
            note(value);
            return value;
        }

        ValueText text() {
            return ValueText.this;
        }
    }

    /** Evaluates the expression that this is the text of. */
    @Nullable Object evaluate(Expression expression, Method method, MethodInvocation call, BeanFactory beans) {
        Context context = new Context(method, call);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return expression.getValue(context);
    }

    /** Returns the text that an expression is evaluated for. */
    static ValueText in(EvaluationContext context) {
        return ((Context) context).text();
    }

    /**
     * Returns the text of a value. Principals, parts of other values included, are identified by their names.
     *
     * @throws IllegalStateException if equal values of this type can have different texts
     */
    String of(Object value) {
        note(value);
        String name = callers.nameOf(value, scope);
        return name != null ? name : KeyValue.textOf(value, place(), this::of);
    }

    /** Notes a value that an expression uses: even a text that is made of a request's key belongs to the caller of the request. */
    private void note(@Nullable Object value) {
        if (KeyValue.unwrap(value) instanceof RequestKey key) {
            requestKey = key;
        }
    }

    /** Returns the method and its attribute, for messages. */
    String place() {
        return declaredBy + ": " + attribute + "=" + from;
    }
}
