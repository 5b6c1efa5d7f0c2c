package dev.fbf.spring.method;

import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.RequestKey;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
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

    /** Evaluates the expression that this is the text of, over a call's arguments and the application's beans, and notes its variables. */
    @Nullable Object evaluate(Expression expression, Method method, MethodInvocation call, BeanFactory beans) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(call.getThis(), method, call.getArguments(), PARAMETER_NAMES) {
                    @Override
                    public @Nullable Object lookupVariable(String name) {
                        Object value = super.lookupVariable(name);
                        note(value);
                        return value;
                    }
                };
        context.setBeanResolver(new BeanFactoryResolver(beans));
        return expression.getValue(context);
    }

    /**
     * Returns the text of a value. Principals, parts of other values included, are identified by their names.
     *
     * @throws OperationRefusedException if a part is null: all calls without it would be one operation, or their callers one caller
     * @throws IllegalStateException if equal values of this type can have different texts
     */
    String of(Object value) {
        note(value);
        String name = callers.nameOf(value, scope);
        return name != null ? name : KeyValue.textOf(value, place(), this::ofPart);
    }

    private String ofPart(@Nullable Object part) {
        if (part == null) {
            throw OperationRefusedException.of(
                    OperationOutcome.KEY_INVALID,
                    scope,
                    place()
                            + ": a part is null, so calls without it could not be distinguished. The operation was not applied."
                            + " If the part may be missing, write what stands for it, such as #line ?: 0.",
                    "A part of the request's idempotency key, or of its caller, is missing.");
        }
        return of(part);
    }

    /** Returns the method and its attribute, for messages. */
    private String place() {
        return declaredBy + ": " + attribute + "=" + from;
    }

    /** Notes a value that an expression uses: even a text that is made of a request's key belongs to the caller of the request. */
    private void note(@Nullable Object value) {
        if (KeyValue.unwrap(value) instanceof RequestKey key) {
            requestKey = key;
        }
    }
}
