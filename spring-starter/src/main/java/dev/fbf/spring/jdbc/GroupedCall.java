package dev.fbf.spring.jdbc;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.Refusals;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Guarded increment that is committed in a group with those of other callers. */
record GroupedCall(SqlOperationGuard guard, Operation operation) implements CallContext {

    @Override
    public String scope() {
        return guard.settings().scope();
    }

    @Override
    public @Nullable Refusal unavailability(Throwable failure, @Nullable Transaction entered) {
        return guard.database.unavailability(failure);
    }

    /**
     * Applies the operation.
     *
     * @param timeout the maximum time to wait
     * @return the counter's value; null if the operation was refused
     */
    @Nullable Long add(Execution execution, Counters counters, String counter, long delta, Duration timeout) {
        Claim claim = execution.claim(() -> guard.admit(operation));
        if (claim == null) {
            return null;
        }
        if (guard.isRecorded(execution, operation)) {
            execution.refuse(Refusal.APPLIED);
            return null;
        }
        GroupedIncrement increment = counters.apply(claim, operation.fingerprint(), counter, delta, timeout);
        if (increment == null) {
            execution.entered(claim, Transaction.NONE); // the group releases the claim
            throw execution.refuse(Refusals.of(Refusal.IN_DOUBT, scope(), null));
        }
        Long value = increment.value();
        if (value == null) {
            refuse(execution, increment);
        } else {
            execution.entered(claim, Transaction.NONE);
        }
        return value;
    }

    /** Refuses an operation that another call has decided, or throws the failure. */
    private void refuse(Execution execution, GroupedIncrement increment) {
        Throwable reason = increment.reason();
        Refusal why = increment.refusal() == Refusal.IN_DOUBT
                ? guard.database.arbiter.settle(increment, guard.settleTimeout())
                : increment.refusal();
        if (why == null) {
            throw failure(reason);
        }
        if (reason != null) {
            throw execution.refuse(Refusals.of(why, scope(), reason));
        }
        execution.refuse(why);
    }

    private static RuntimeException failure(@Nullable Throwable reason) {
        if (reason instanceof SQLException e) {
            return GuardedDatabase.translate("add to a counter", e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }
}
