package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.DriverException;
import dev.fbf.cassandra.CounterRangeException;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

/** Call whose operation is applied by one increment during its method, without a transaction. */
record LaneCall(LaneGuard guard, Operation operation) implements CallContext {

    private static final ThreadLocal<@Nullable Current> CURRENT = new ThreadLocal<>();

    /**
     * Operation whose method the thread is executing.
     *
     * @param outer the operation whose method has called this one's; null if there is none
     */
    record Current(
            LaneCall call, Execution execution, @Nullable Current outer) {

        Map<String, Long> increment(Map<String, Long> deltas, Duration timeout) {
            return call.increment(execution, deltas, timeout);
        }
    }

    /** Ends a method whose execution was refused. */
    private static final class NotAppliedException extends RuntimeException {

        private static final long serialVersionUID = 1;

        NotAppliedException() {
            super("the operation was applied before", null, false, false);
        }
    }

    /** Returns the operation whose method this thread is executing; null if there is none. */
    static @Nullable Current current() {
        return CURRENT.get();
    }

    /** Returns whether this thread is executing the method of an operation. */
    static boolean isCurrent(OperationId id) {
        for (Current current = CURRENT.get(); current != null; current = current.outer) {
            if (current.call.operation.id().equals(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String scope() {
        return guard.settings().scope();
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(
            Execution execution, IdempotentScope.Work<T, E> work) throws E {
        Current outer = CURRENT.get();
        CURRENT.set(new Current(this, execution, outer));
        try {
            return work.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** Applies the operation. */
    Map<String, Long> increment(Execution execution, Map<String, Long> deltas, Duration timeout) {
        if (execution.transaction() != null) {
            throw new IllegalStateException("scope=" + scope()
                    + ": the first increment of this call has already applied its operation. Add to several counters"
                    + " with one increment(Map).");
        }
        Claim claim = execution.claim(() -> guard.admit(operation));
        if (claim == null) {
            throw new NotAppliedException();
        }
        try {
            guard.requireNotForgotten(operation);
        } catch (OperationRefusedException e) {
            throw execution.refuse(e);
        }
        LaneIncrement increment = guard.counters().apply(claim, operation.fingerprint(), deltas, timeout);
        execution.entered(claim, Transaction.NONE); // the lane releases the claim
        if (increment == null) {
            throw execution.refuse(Refusals.of(Refusal.IN_DOUBT, scope(), null));
        }
        Map<String, Long> values = increment.values();
        if (values == null) {
            throw notApplied(execution, increment);
        }
        return values;
    }

    private RuntimeException notApplied(Execution execution, LaneIncrement increment) {
        Refusal why = increment.refusal();
        Throwable reason = increment.reason();
        if (why == null) {
            return failure(reason);
        }
        if (why == Refusal.APPLIED && reason == null) {
            execution.refuse(why);
            return new NotAppliedException();
        }
        return execution.refuse(Refusals.of(why, scope(), reason));
    }

    static RuntimeException failure(@Nullable Throwable reason) {
        if (reason instanceof CounterRangeException e) {
            return new DataIntegrityViolationException(e.getMessage(), e);
        }
        if (reason instanceof DriverException e) {
            return new DataAccessResourceFailureException("Cassandra: " + e.getMessage(), e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }
}
