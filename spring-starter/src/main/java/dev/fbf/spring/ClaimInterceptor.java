package dev.fbf.spring;

import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.Answer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Outside of every transaction: lets an operation through to its method once, and answers its retries. */
final class ClaimInterceptor implements MethodInterceptor {

    /*
     * Two interceptors guard a method. This one comes first, before any transaction begins: a retry costs neither a
     * connection nor a transaction, and the claim is taken before there is anything to commit. EnlistInterceptor comes
     * last, inside whatever transaction the method runs in, be it the caller's, that of a @Transactional, or its own;
     * it makes the operation part of that transaction. They share the Enlistment through the invocation.
     *
     * When the transaction has ended by the time the call comes back here, and nobody knows how, the answer waits for
     * that to be settled. The connection is free by then, even if the pool has only one.
     */
    private static final String RECOVERING = "the outcome of earlier transactions is not known yet";

    private final Function<MethodInvocation, GuardedMethod> methods;
    private final Supplier<Guards> guards;
    private final OperationResolver operations;
    private final Supplier<HttpRequests> http;
    private final Supplier<Patience> patience;

    ClaimInterceptor(
            Function<MethodInvocation, GuardedMethod> methods,
            Supplier<Guards> guards,
            OperationResolver operations,
            Supplier<HttpRequests> http,
            Supplier<Patience> patience) {
        this.methods = methods;
        this.guards = guards;
        this.operations = operations;
        this.http = http;
        this.patience = patience;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        GuardedMethod method = methods.apply(call);
        Operation operation = operations.resolve(method, call);
        if (operation == null) {
            return applyUnguarded(method, (ProxyMethodInvocation) call);
        }
        ProxyMethodInvocation invocation = (ProxyMethodInvocation) call;
        Attempt attempt = method.waits() && !TransactionSynchronizationManager.isActualTransactionActive()
                ? patience.get()
                        .untilItEnds(
                                () -> attempt(method, operation, (ProxyMethodInvocation) invocation.invocableClone()))
                : attempt(method, operation, invocation);
        if (attempt.refusal() == null) {
            return attempt.result();
        }
        return answer(method, operation, attempt.refusal(), invocation);
    }

    private Attempt attempt(GuardedMethod method, Operation operation, ProxyMethodInvocation call) throws Throwable {
        Admission admission = guards.get().admit(method, operation);
        return admission instanceof Claim claim
                ? apply(method, claim, operation, call)
                : Attempt.refused((Refusal) admission);
    }

    /** In a transaction all the same: a method does not lose that because a client sends no key. */
    private @Nullable Object applyUnguarded(GuardedMethod method, ProxyMethodInvocation call) throws Throwable {
        ObserveInterceptor.note(call, OperationOutcome.KEYLESS);
        call.setUserAttribute(
                PlatformTransactionManager.class.getName(), guards.get().manager(method));
        return call.proceed();
    }

    private Attempt apply(GuardedMethod method, Claim claim, Operation operation, ProxyMethodInvocation call)
            throws Throwable {
        Enlistment enlistment = guards.get().enlistment(method, claim, operation);
        call.setUserAttribute(Enlistment.class.getName(), enlistment);
        Object result;
        try {
            result = call.proceed();
        } catch (Throwable thrown) {
            return settle(method, enlistment, call, thrown);
        } finally {
            enlistment.freeUnlessEntered();
        }
        Refusal refusal = enlistment.refusal();
        if (refusal != null) {
            return Attempt.refused(refusal);
        }
        if (enlistment.followsCaller()) {
            ObserveInterceptor.note(call, OperationOutcome.PENDING);
            http.get().follow(enlistment);
        }
        recordAnswer(method, operation);
        return Attempt.applied(result);
    }

    private void recordAnswer(GuardedMethod method, Operation operation) {
        Consumer<Answer> answers = answersRequest(method) ? guards.get().answers(method) : null;
        if (answers != null) {
            http.get().recordAnswer(operation.id().toUuid(), answers);
        }
    }

    /** Whether what the client is told is what the method returns. */
    private boolean answersRequest(GuardedMethod method) {
        return method.handlesRequests() && http.get().inRequest();
    }

    /** What was thrown stands, but where the method did its work and only its COMMIT got no answer. */
    private static Attempt settle(
            GuardedMethod method, Enlistment enlistment, ProxyMethodInvocation call, Throwable thrown)
            throws Throwable {
        if (enlistment.unavailable() != null) {
            ObserveInterceptor.note(call, enlistment.unavailable());
        }
        enlistment.decide();
        Proof.Outcome outcome = enlistment.settle();
        if (outcome == Proof.Outcome.UNKNOWN) {
            ObserveInterceptor.note(call, OperationOutcome.IN_DOUBT);
            throw new OperationUnavailableException(
                    Problem.IN_DOUBT, method.scope(), "whether the operation was applied is not known yet", thrown);
        }
        if (outcome == Proof.Outcome.APPLIED && enlistment.hasReturned()) {
            return Attempt.applied(enlistment.result());
        }
        if (enlistment.spoiltTransaction()) {
            ObserveInterceptor.note(call, OperationOutcome.STARTING);
            throw new OperationUnavailableException(Problem.STARTING, method.scope(), RECOVERING, thrown);
        }
        Refusal refusal = enlistment.wasNotEntered() ? enlistment.refusal() : null;
        if (refusal != null) {
            return Attempt.refused(refusal);
        }
        throw thrown;
    }

    private @Nullable Object answer(
            GuardedMethod method, Operation operation, Refusal refusal, ProxyMethodInvocation call) throws Throwable {
        if (refusal == Refusal.APPLIED && !guards.get().recognizes(method, operation)) {
            throw new IdempotencyKeyReusedException(method.scope());
        }
        ObserveInterceptor.note(call, outcome(refusal));
        return switch (refusal) {
            case APPLIED -> answerAgain(method, operation, call);
            case IN_PROGRESS -> throw new OperationInProgressException(method.scope());
            case IN_DOUBT ->
                throw unavailable(Problem.IN_DOUBT, method, "whether the operation was applied is not known yet", "");
            case NO_ROOM ->
                throw unavailable(
                        Problem.NO_ROOM,
                        method,
                        "as many operations as there is room for are being applied",
                        " (fbf.max-claims)");
            case STARTING ->
                throw unavailable(
                        Problem.STARTING,
                        method,
                        RECOVERING,
                        ", or operations are held back after a power failure or beside another node");
            case STOPPED -> throw unavailable(Problem.STOPPING, method, "the application is stopping", "");
        };
    }

    private static OperationOutcome outcome(Refusal refusal) {
        return switch (refusal) {
            case APPLIED -> OperationOutcome.REPLAYED;
            case IN_PROGRESS -> OperationOutcome.IN_PROGRESS;
            case IN_DOUBT -> OperationOutcome.IN_DOUBT;
            case NO_ROOM -> OperationOutcome.NO_ROOM;
            case STARTING -> OperationOutcome.STARTING;
            case STOPPED -> OperationOutcome.STOPPED;
        };
    }

    private static OperationUnavailableException unavailable(
            Problem problem, GuardedMethod method, String why, String more) {
        return new OperationUnavailableException(problem, method.scope(), why, more, null);
    }

    private @Nullable Object answerAgain(GuardedMethod method, Operation operation, ProxyMethodInvocation call)
            throws Throwable {
        if (answersRequest(method)) {
            http.get().answerWith(HttpContract.REPLAYED, "true");
            Answer answer = guards.get().answer(method, operation);
            if (answer != null) {
                throw new ReplayedAnswerException(answer);
            }
        }
        if (method.onDuplicate() != null) {
            return callOnDuplicate(method.onDuplicate(), call);
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
