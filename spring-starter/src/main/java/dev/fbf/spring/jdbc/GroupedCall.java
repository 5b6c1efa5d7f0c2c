package dev.fbf.spring.jdbc;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.operation.CallTransaction;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.Refusals;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Guarded increment that is committed in a group with those of other callers. */
final class GroupedCall extends Execution {

    private final SqlOperationGuard guard;
    private final Operation operation;

    GroupedCall(SqlOperationGuard guard, Operation operation, Claim claim) {
        super(guard.settings().scope(), claim, null, Duration.ZERO);
        this.guard = guard;
        this.operation = operation;
    }

    @Override
    protected @Nullable Refusal unavailability(Throwable failure, @Nullable CallTransaction entered) {
        return guard.database.unavailability(failure);
    }

    /**
     * Applies the operation.
     *
     * @param timeout as for {@link Counters#apply}
     * @return the counter's new value; null if there is a {@link #refusal()}
     */
    @Nullable Long add(Counters counters, String counter, long delta, Duration timeout) {
        Claim claim = claim();
        if (guard.isRecordedOutsideWindow(this, operation)) {
            refuse(Refusal.APPLIED);
            return null;
        }
        GroupedIncrement increment = counters.apply(claim, operation.fingerprint(), counter, delta, timeout);
        if (increment == null) {
            entered(claim, CallTransaction.NONE); // the group releases the claim
            throw refuse(Refusals.of(Refusal.IN_DOUBT, scope(), null));
        }
        Long value = increment.value();
        if (value == null) {
            refuse(increment);
        } else {
            entered(claim, CallTransaction.NONE);
        }
        return value;
    }

    /** Refuses an increment that has no value, or throws the reason. */
    private void refuse(GroupedIncrement increment) {
        Throwable reason = increment.reason();
        Refusal why = increment.refusal() == Refusal.IN_DOUBT ? guard.awaitSettled(increment) : increment.refusal();
        if (why == null) {
            throw failure(reason);
        }
        if (reason != null) {
            throw refuse(Refusals.of(why, scope(), reason));
        }
        refuse(why);
    }

    private RuntimeException failure(@Nullable Throwable reason) {
        if (reason instanceof SQLException e) {
            return guard.failed(e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }
}
