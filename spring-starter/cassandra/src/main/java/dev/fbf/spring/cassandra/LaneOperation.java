package dev.fbf.spring.cassandra;

import com.datastax.oss.driver.api.core.DriverException;
import dev.fbf.cassandra.CounterRangeException;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneIncrement;
import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;

/** An operation that one increment applies, in the middle of its method. Used by one thread. */
final class LaneOperation implements AdmittedOperation {

    private static final ThreadLocal<@Nullable LaneOperation> CURRENT = new ThreadLocal<>();

    private final LaneCounters counters;
    private final String scope;
    private final Claim claim;
    private final @Nullable Long fingerprint;
    private final Runnable lastCheck;

    private boolean taken;

    /** Why the increment did not apply the operation, where {@link #apply} tells; null if it did, or there was none yet. */
    private @Nullable Refusal refused;

    private @Nullable OperationRefusedException thrown;
    private @Nullable Object result;

    /** The operation whose method has called this one's. */
    private @Nullable LaneOperation outer;

    /**
     * @param lastCheck throws if an operation that is not known to be applied may not be applied now
     */
    LaneOperation(LaneCounters counters, String scope, Claim claim, @Nullable Long fingerprint, Runnable lastCheck) {
        this.counters = counters;
        this.scope = scope;
        this.claim = claim;
        this.fingerprint = fingerprint;
        this.lastCheck = lastCheck;
    }

    /** Leaves a method whose operation was not applied: {@link #apply} knows why. */
    private static final class NotAppliedException extends RuntimeException {

        private static final long serialVersionUID = 1;

        NotAppliedException() {
            super("the operation was applied before", null, false, false);
        }
    }

    /** The operation whose method this thread is in; null if it is in none. */
    static @Nullable LaneOperation current() {
        return CURRENT.get();
    }

    /** Whether this thread is in the method of an operation. */
    static boolean isCurrent(OperationId id) {
        for (LaneOperation operation = CURRENT.get(); operation != null; operation = operation.outer) {
            if (operation.claim.id().equals(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public <T, E extends Throwable> @Nullable Refusal apply(OperationObservationContext observed, Attempt<T, E> attempt)
            throws E {
        try {
            check();
            result = attempt.apply(this);
        } catch (Throwable failure) {
            if (thrown != null && thrown == failure) {
                observed.refused(thrown);
            }
            if (refused == null) {
                throw failure;
            }
        } finally {
            if (!taken) {
                claim.rolledBack();
            }
        }
        return refused;
    }

    /** An increment is applied at once: there is no transaction. */
    @Override
    public boolean isRolledBack() {
        return false;
    }

    @Override
    public <T, E extends Throwable> @Nullable T call(Work<T, E> work) throws E {
        outer = CURRENT.get();
        CURRENT.set(this);
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
    Map<String, Long> increment(Map<String, Long> deltas, Duration timeout) {
        if (taken) {
            throw new IllegalStateException("scope=" + scope
                    + ": the operation of this call has been applied by its first increment. Add to several counters with one"
                    + " increment(Map).");
        }
        check();
        LaneIncrement increment = counters.apply(claim, fingerprint, deltas, timeout);
        taken = true;
        if (increment == null) {
            throw thrown(Refusals.of(Refusal.IN_DOUBT, scope, null));
        }
        Map<String, Long> values = increment.values();
        if (values == null) {
            throw notApplied(increment);
        }
        return values;
    }

    private void check() {
        try {
            lastCheck.run();
        } catch (OperationRefusedException e) {
            throw thrown(e);
        }
    }

    private RuntimeException notApplied(LaneIncrement increment) {
        Refusal why = increment.refusal();
        Throwable reason = increment.reason();
        if (why == null) {
            return failure(reason);
        }
        if (why == Refusal.APPLIED && reason == null) {
            refused = why;
            return new NotAppliedException();
        }
        return thrown(Refusals.of(why, scope, reason));
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

    private OperationRefusedException thrown(OperationRefusedException refusal) {
        thrown = refusal;
        return refusal;
    }

    @Override
    public @Nullable Object result() {
        return result;
    }

    @Override
    public String scope() {
        return scope;
    }

    @Override
    public @Nullable Object transaction() {
        return null;
    }

    /** It follows no transaction. */
    @Override
    public boolean followsCaller() {
        return false;
    }

    @Override
    public @Nullable Refusal settle(Throwable failure) {
        return null;
    }
}
