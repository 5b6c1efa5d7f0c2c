package dev.fbf.spring.jdbc;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.Refusals;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An increment that is committed together with those of other callers, from its claim to its outcome. Used by one thread. */
final class GroupedOperation implements AdmittedOperation {

    private final GuardedDatabase database;
    private final Claim claim;
    private final Operation operation;
    private final LastCheck lastCheck;
    private final String scope;
    private final Duration settleTimeout;

    /** Why the operation was not applied by this call; null if it was, or if that was thrown. */
    private @Nullable Refusal refused;

    private @Nullable Object result;

    /**
     * @param settleTimeout how long to wait for an outcome that is in doubt
     */
    public GroupedOperation(
            GuardedDatabase database,
            Claim claim,
            Operation operation,
            LastCheck lastCheck,
            String scope,
            Duration settleTimeout) {
        this.database = database;
        this.claim = claim;
        this.operation = operation;
        this.lastCheck = lastCheck;
        this.scope = scope;
        this.settleTimeout = settleTimeout;
    }

    @Override
    public <T, E extends Throwable> @Nullable Refusal apply(OperationObservationContext observed, Attempt<T, E> attempt)
            throws E {
        try {
            result = attempt.apply(this);
            return refused;
        } catch (OperationRefusedException e) {
            throw observed.refused(e);
        }
    }

    /** There is no transaction that work could take part in. */
    @Override
    public <T, E extends Throwable> @Nullable T call(Work<T, E> work) throws E {
        return work.run();
    }

    /**
     * Applies the operation.
     *
     * @param timeout how long to wait
     * @return the counter's value; null if {@link #apply} tells why the operation was not applied by this call
     */
    public @Nullable Long add(Counters counters, String counter, long delta, Duration timeout) {
        GroupedIncrement increment;
        try {
            if (lastCheck.isRecorded(claim.id())) {
                claim.rolledBack();
                refused = Refusal.APPLIED;
                return null;
            }
        } catch (RuntimeException e) {
            claim.rolledBack();
            throw e;
        }
        try {
            increment = counters.apply(claim, operation.fingerprint(), counter, delta, timeout);
        } catch (IllegalArgumentException e) {
            claim.rolledBack(); // it was not taken
            throw e;
        }
        if (increment == null) {
            throw Refusals.of(Refusal.IN_DOUBT, scope, null);
        }
        Long value = increment.value();
        if (value == null) {
            refused = refusal(increment);
        }
        return value;
    }

    /** Returns what another call has decided; the rest is thrown. */
    private Refusal refusal(GroupedIncrement increment) {
        Throwable reason = increment.reason();
        Refusal why = increment.refusal() == Refusal.IN_DOUBT
                ? database.arbiter().settle(increment, settleTimeout)
                : increment.refusal();
        if (why == null) {
            RuntimeException failure = thrownFor(reason);
            Refusal unavailability =
                    failure instanceof StorageException ? Refusal.FAILED : database.unavailability(failure);
            throw unavailability == null ? failure : Refusals.of(unavailability, scope, failure);
        }
        if (reason != null || why == Refusal.TIMEOUT || why == Refusal.CONFLICT) {
            throw Refusals.of(why, scope, reason);
        }
        return why;
    }

    private static RuntimeException thrownFor(@Nullable Throwable reason) {
        if (reason instanceof SQLException e) {
            return GuardedDatabase.translate("add to a counter", e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }

    @Override
    public @Nullable Object result() {
        return result;
    }

    @Override
    public String scope() {
        return scope;
    }

    /** It is part of a group's. */
    @Override
    public @Nullable Object transaction() {
        return null;
    }

    @Override
    public boolean isRolledBack() {
        return false;
    }

    @Override
    public boolean followsCaller() {
        return false;
    }

    @Override
    public @Nullable Refusal settle(Throwable failure) {
        return null;
    }
}
