package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.DriverException;
import dev.fbf.cassandra.CounterRangeException;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

/** Call whose operation is applied by one increment during its method, without a transaction. */
final class LaneCall extends Execution {

    private static final ThreadLocal<@Nullable LaneCall> CURRENT = new ThreadLocal<>();

    private final LaneGuard guard;
    private final Operation operation;

    /** The enclosing call of this thread; null if there is none. */
    private @Nullable LaneCall outer;

    /** @param claimed one operation */
    LaneCall(LaneGuard guard, List<Claimed> claimed) {
        super(guard.settings().scope(), claimed, null, Duration.ZERO);
        this.guard = guard;
        operation = claimed.get(0).operation();
    }

    /** Returns the call whose method this thread is executing; null if there is none. */
    static @Nullable LaneCall current() {
        return CURRENT.get();
    }

    /** Returns whether this thread is executing the method of an operation. */
    static boolean isCurrent(OperationId id) {
        for (LaneCall current = CURRENT.get(); current != null; current = current.outer) {
            if (current.operation.id().equals(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.run();
        } finally {
            CURRENT.set(outer); // also null: the next set() after a remove() would create a new entry
        }
    }

    Map<String, Long> increment(Map<String, Long> deltas, Duration timeout) {
        if (isEntered()) {
            throw new IllegalStateException("scope=" + scope()
                    + ": this call has already made its increment. Add to several counters"
                    + " with one increment(Map).");
        }
        List<Claimed> claimed = claimed();
        try {
            guard.requireNotForgotten(operation);
        } catch (OperationRefusedException e) {
            throw refuse(e);
        }
        LaneIncrement increment = guard.counters().apply(claimed.get(0).claim(), deltas, timeout);
        entered(claimed, null); // the lane releases the claim
        if (increment == null) {
            throw refuse(Refusals.of(Refusal.IN_DOUBT, scope(), null));
        }
        Map<String, Long> values = increment.values();
        if (values == null) {
            throw notApplied(increment);
        }
        return values;
    }

    private RuntimeException notApplied(LaneIncrement increment) {
        Refusal why = increment.refusal();
        Throwable reason = increment.reason();
        if (why == null) {
            return failure(reason);
        }
        if (why == Refusal.APPLIED && reason == null) {
            refuse(why);
            return Refusals.duplicate(scope()); // ends the method
        }
        return refuse(Refusals.of(why, scope(), reason));
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
