package dev.fbf.spring.jdbc;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;

/** From an operation's claim to the outcome of its transaction. */
final class Enlistment implements AdmittedOperation {

    /*
     * Usually there is one claim and one transaction. Advice between the two interceptors may try the method again in
     * another transaction: then the claim of the first try has ended with that, and another one is needed.
     */
    private final GuardedDatabase database;
    private final @Nullable Long fingerprint;
    private final Supplier<Admission> admissions;
    private final LastCheck lastCheck;
    private final OperationSettings settings;
    private final Duration timeout;
    private final ConnectionPermits.@Nullable Permit permit;

    /** The transaction that the call came in, if it did in one. */
    private final @Nullable GuardedTransaction outer;

    private Admission admission;

    /** The transaction that the operation was made part of last. */
    private @Nullable GuardedTransaction entered;

    private @Nullable OperationTransaction operations;
    /** Whether the claim, which may be held still, is no longer ours to end: it follows the transaction. */
    private boolean follows;

    /** Why the operation was not entered; null if it was, or was not asked for yet. */
    private @Nullable Refusal refused;

    /** What the work was told of this operation, if it was told that; it may pass it on. */
    private @Nullable OperationRefusedException thrown;

    private boolean returned;
    private @Nullable Object result;

    /**
     * Begins.
     *
     * @param fingerprint of the request; null if requests are not compared
     * @param timeout how long to wait for an outcome that is in doubt
     * @param permit to use a connection; null if the operation needs none
     */
    public Enlistment(
            GuardedDatabase database,
            Claim claim,
            @Nullable Long fingerprint,
            Supplier<Admission> admissions,
            LastCheck lastCheck,
            OperationSettings settings,
            Duration timeout,
            ConnectionPermits.@Nullable Permit permit) {
        this.database = database;
        this.fingerprint = fingerprint;
        this.admissions = admissions;
        this.lastCheck = lastCheck;
        this.settings = settings;
        this.timeout = timeout;
        this.permit = permit;
        outer = database.transactions().current();
        admission = claim;
    }

    /** The work makes the operation part of a transaction. */
    @Override
    public <T, E extends Throwable> @Nullable Refusal apply(OperationObservationContext observed, Attempt<T, E> attempt)
            throws E {
        try {
            result = attemptWith(attempt);
        } catch (Throwable failure) {
            decide();
            Refusal settled = settle(failure);
            if (settled == Refusal.IN_DOUBT || settled == Refusal.UNREACHABLE || settled == Refusal.UNRECORDABLE) {
                throw observed.refused(Refusals.of(settled, settings.scope(), failure));
            }
            if (settled == Refusal.APPLIED && returned) {
                return null;
            }
            if (spoiltTransaction()) {
                throw observed.refused(Refusals.of(Refusal.RECOVERING, settings.scope(), failure));
            }
            if (failure instanceof StorageException) {
                throw observed.refused(Refusals.of(Refusal.FAILED, settings.scope(), failure));
            }
            if (thrown != null && thrown == failure) {
                observed.refused(thrown);
            }
            if (refused == null) {
                throw failure;
            }
        } finally {
            freeUnlessEntered();
        }
        return admission instanceof Refusal refusal ? refusal : refused;
    }

    private <T, E extends Throwable> @Nullable T attemptWith(Attempt<T, E> attempt) throws E {
        try {
            return attempt.apply(this);
        } finally {
            returnPermit();
        }
    }

    /** The operation uses no connection of the caller's any more. */
    private void returnPermit() {
        if (permit != null) {
            permit.close();
        }
    }

    @Override
    public <T, E extends Throwable> @Nullable T call(Work<T, E> work) throws E {
        return new GuardedCall(database, settings, this).call(work);
    }

    @Override
    public @Nullable Object result() {
        return result;
    }

    /** Throws if this operation cannot be part of the caller's transaction, which can go on without it. */
    void requireAdmitted() {
        GuardedTransaction current = database.transactions().current();
        if (current != null) {
            current.requireRoom(settings.scope());
        }
        if (admission instanceof Claim claim) {
            isRecorded(claim);
        }
    }

    /** Returns whether a ledger knows the operation, so that it is not to be entered. */
    private boolean isRecorded(Claim claim) {
        try {
            return lastCheck.isRecorded(claim.id());
        } catch (OperationRefusedException e) {
            throw thrown(e);
        }
    }

    /** Makes the operation part of this thread's transaction; tells whether its method is to be called. */
    boolean enter() {
        GuardedTransaction transaction = database.currentTransaction();
        decide();
        if (admission instanceof Claim claim && (follows || !claim.isHeld())) {
            admission = admissions.get();
        }
        returned = false;
        follows = false;
        refused = null;
        if (admission instanceof Claim claim && isRecorded(claim)) {
            refused = Refusal.APPLIED;
        } else if (admission instanceof Claim claim) {
            OperationTransaction.Scope lost = transaction == outer
                    ? OperationTransaction.Scope.CALLERS
                    : settings.sqlOnly()
                            ? OperationTransaction.Scope.CALL_WITHOUT_TRACE
                            : OperationTransaction.Scope.CALL;
            try {
                refused = transaction.enter(claim, fingerprint, database.currentConnection(), lost);
                follows = refused == null;
            } catch (SQLException e) {
                throw GuardedDatabase.translate("make an operation part of a transaction", e);
            } finally {
                entered = transaction;
                operations = transaction.operations();
            }
        }
        if (follows) {
            checkOnceMore();
        }
        return follows;
    }

    private void checkOnceMore() {
        try {
            lastCheck.run();
        } catch (OperationRefusedException e) {
            throw thrown(e);
        }
    }

    private OperationRefusedException thrown(OperationRefusedException refusal) {
        thrown = refusal;
        return refusal;
    }

    /** If the operation was entered in vain, finds out why; its transaction has ended. */
    private void decide() {
        if (refused == null && operations != null && admission instanceof Claim claim) {
            refused = operations.failedEntry(claim, timeout);
            follows &= refused == null;
        }
    }

    @Override
    public String scope() {
        return settings.scope();
    }

    @Override
    public boolean followsCaller() {
        return follows && outer != null && entered == outer && !outer.isCompleted();
    }

    @Override
    public @Nullable Object transaction() {
        return entered;
    }

    @Override
    public boolean isRolledBack() {
        return entered != null && entered.isRolledBack();
    }

    /** Whether the transaction can only roll back. */
    boolean spoiltTransaction() {
        return refused == Refusal.RECOVERING;
    }

    /** The method has returned; whether its transaction commits is open. */
    void returned(@Nullable Object value) {
        returned = true;
        result = value;
        if (entered != null && admission instanceof Claim claim) {
            entered.returned(claim.id());
        }
    }

    @Override
    public @Nullable Refusal settle(Throwable failure) {
        Refusal settled = follows && operations != null && admission instanceof Claim claim
                ? operations.settle(claim, timeout)
                : null;
        if (settled != null || !isNotApplied()) {
            return settled;
        }
        return isUnreachable(failure) ? Refusal.UNREACHABLE : database.unrecordability(failure);
    }

    /** Whether its transaction, if it has entered one, has ended and did not commit. Asked where that is not in doubt. */
    private boolean isNotApplied() {
        return !followsCaller() && (entered == null || !entered.isCommitted());
    }

    /** Whether the reason is that there was no connection, or none any more. */
    private boolean isUnreachable(Throwable failure) {
        return failure instanceof CannotCreateTransactionException
                || (entered != null && entered.isBroken() && GuardedDatabase.isIn(failure));
    }

    /** Frees the claim if no transaction took it: then nothing was done. */
    private void freeUnlessEntered() {
        if (admission instanceof Claim claim && claim.isHeld() && !follows) {
            claim.rolledBack();
        }
    }
}
