package dev.fbf.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Around everything that guards a method: has each call observed, where anybody observes. */
final class ObserveInterceptor implements MethodInterceptor {

    private static final OperationObservationConvention DEFAULT = new DefaultOperationObservationConvention();

    private final MethodInterceptor guarding;
    private final Function<MethodInvocation, GuardedMethod> methods;
    private final Supplier<Observations> observations;

    /**
     * Makes one.
     *
     * @param guarding what is observed
     * @param methods tells which method is called
     */
    ObserveInterceptor(
            MethodInterceptor guarding,
            Function<MethodInvocation, GuardedMethod> methods,
            Supplier<Observations> observations) {
        this.guarding = guarding;
        this.methods = methods;
        this.observations = observations;
    }

    /**
     * Where observations go, and what they tell.
     *
     * @param registry one that is not asked for more if it is {@link ObservationRegistry#NOOP}
     * @param convention that of the application; null if it has none of its own
     */
    record Observations(
            ObservationRegistry registry, @Nullable OperationObservationConvention convention) {

        Observation of(OperationObservationContext context) {
            return Observation.createNotStarted(convention, DEFAULT, () -> context, registry);
        }
    }

    /** What {@link ClaimInterceptor} knows of the outcome and nobody could tell from what it returns or throws. */
    static void note(ProxyMethodInvocation call, OperationOutcome outcome) {
        if (call.getUserAttribute(OperationObservationContext.class.getName())
                instanceof OperationObservationContext context) {
            context.setOutcome(outcome);
        }
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        return observations.get().registry().isNoop() ? guarding.invoke(call) : observe((ProxyMethodInvocation) call);
    }

    private @Nullable Object observe(ProxyMethodInvocation call) throws Throwable {
        GuardedMethod method = methods.apply(call);
        OperationObservationContext context = new OperationObservationContext(method.scope());
        call.setUserAttribute(OperationObservationContext.class.getName(), context);
        Observation observation = observations.get().of(context).start();
        Observation.Scope current = observation.openScope();
        try {
            Object result = guarding.invoke(call);
            if (context.getOutcome() == null) {
                context.setOutcome(OperationOutcome.APPLIED);
            }
            return result;
        } catch (Throwable thrown) {
            if (context.getOutcome() == null) {
                context.setOutcome(outcomeOf(thrown));
            }
            if (context.getOutcome() == OperationOutcome.FAILED) {
                observation.error(thrown); // the others are answers, not errors
            }
            throw thrown;
        } finally {
            current.close();
            observation.stop();
        }
    }

    private static OperationOutcome outcomeOf(Throwable thrown) {
        if (thrown instanceof IdempotencyKeyTooOldException) {
            return OperationOutcome.TOO_OLD;
        }
        return thrown instanceof IdempotencyKeyException
                        || thrown instanceof IdempotencyKeyTimeException
                        || thrown instanceof IdempotencyKeyReusedException
                ? OperationOutcome.KEY_REFUSED
                : OperationOutcome.FAILED;
    }
}
