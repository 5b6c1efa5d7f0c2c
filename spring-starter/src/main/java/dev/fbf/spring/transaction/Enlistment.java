package dev.fbf.spring.transaction;

import dev.fbf.core.CounterNameException;
import dev.fbf.core.StorageException;
import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.GroupedIncrement;
import dev.fbf.db.Proof;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.admission.AdmittedOperation;
import dev.fbf.spring.admission.Refusals;
import dev.fbf.spring.declaration.OperationSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;

/** From an operation's claim to the outcome of its transaction, or of its group. */
public final class Enlistment implements AdmittedOperation {

    /*
     * Usually there is one claim and one transaction. Advice between the two interceptors may try the method again in
     * another transaction: then the claim of the first try has ended with that, and another one is needed.
     */
    private final GuardedDatabase database;
    private final @Nullable Long fingerprint;
    private final Supplier<Admission> admissions;
    private final Runnable lastCheck;
    private final OperationSettings settings;
    private final Duration timeout;
    private final ConnectionPermits.@Nullable Permit permit;

    /** The transaction that the call came in, if it did in one. */
    private final @Nullable GuardedTransaction outer;

    private Admission admission;

    /** The transaction that the operation was made part of last. */
    private @Nullable GuardedTransaction entered;

    private @Nullable Proof proof;
    /** Whether the claim, which may be held still, is no longer ours to end: it follows the transaction. */
    private boolean follows;

    /** Why the operation was not entered; null if it was, or was not asked for yet. */
    private @Nullable Refusal refused;

    private boolean ownTransaction;

    /** The operation is applied together with others, and not in its transaction. */
    private boolean grouped;

    /** What the work was told of this operation, if it was told that; it may pass it on. */
    private @Nullable OperationRefusedException thrown;

    private boolean returned;
    private @Nullable Object result;

    /**
     * Begins.
     *
     * @param fingerprint of the request; null if requests are not compared
     * @param lastCheck throws if an operation that is not known to be applied may not be applied now
     * @param timeout how long to wait for an outcome that is in doubt
     * @param permit to use a connection; null if the operation needs none
     */
    public Enlistment(
            GuardedDatabase database,
            Claim claim,
            @Nullable Long fingerprint,
            Supplier<Admission> admissions,
            Runnable lastCheck,
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

    /** The work makes the operation part of a transaction or of a group. */
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

    /**
     * Checks the key's time before anything is entered. A ledger may know the operation all the same, by another node.
     *
     * @return whether it does; false if the key's time is right
     */
    private boolean isRecorded(Claim claim) {
        try {
            lastCheck.run();
            return false;
        } catch (OperationRefusedException e) {
            if (!database.arbiter().hasRecorded(claim.id())) {
                throw thrown(e);
            }
            return true;
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
            Proof.Scope lost = transaction == outer
                    ? Proof.Scope.CALLERS
                    : settings.sqlOnly() ? Proof.Scope.CALL_WITHOUT_TRACE : Proof.Scope.CALL;
            try {
                refused = transaction.enter(claim, fingerprint, database.currentConnection(), lost);
                follows = refused == null;
            } catch (SQLException e) {
                throw GuardedDatabase.translate("make an operation part of a transaction", e);
            } finally {
                entered = transaction;
                proof = transaction.proof();
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

    /** Lets the transaction that begins next take its connection when it is used, if it is this call's own. */
    @Nullable LazyConnectionHolder bindLazyConnection() {
        return outer == null ? database.bindLazyConnection(settings.sqlOnly()) : null;
    }

    /** The transaction is this call's own, and nobody has declared it. */
    void inOwnTransaction() {
        ownTransaction = true;
    }

    public GuardedDatabase database() {
        return database;
    }

    /**
     * Applies the operation together with those of other callers, in place of its own transaction, if nothing was done in
     * that yet. From then on nothing can be written in it.
     *
     * @return the counter's value; null if that is not possible, so that the operation stays part of its transaction
     * @throws NotAppliedException if {@link #apply} tells why it was not applied
     */
    public @Nullable Long applyInGroup(Counters counters, String counter, long delta, Duration longest) {
        if (grouped) {
            throw new IllegalStateException("scope=" + settings.scope() + ", counter="
                    + CounterNameException.printable(counter)
                    + ": the operation of this call has been applied by its first increment. Add to several counters with one increment(Map), or with"
                    + " increment(counter), which is part of the method's transaction.");
        }
        if (!(admission instanceof Claim claim)) {
            return null;
        }
        if (entered == null) {
            if (isRecorded(claim)) {
                refused = Refusal.APPLIED;
                throw new NotAppliedException();
            }
        } else if (!leave(claim)) {
            return null;
        }
        returnPermit();
        grouped = true;
        follows = false;
        GroupedIncrement increment;
        try {
            increment = counters.apply(claim, fingerprint, counter, delta, longest);
        } catch (IllegalArgumentException e) {
            claim.rolledBack(); // it was not taken
            throw e;
        }
        Long value = increment == null ? null : increment.value();
        if (value == null) {
            throw notApplied(increment);
        }
        return value;
    }

    /** Leaves the transaction if that is this call's own, and nothing was executed in it. */
    private boolean leave(Claim claim) {
        return ownTransaction
                && follows
                && database.isLazy()
                && entered != null
                && database.transactions().current() == entered
                && entered.leave(claim);
    }

    /** What another call has decided, that call's caller is told by the executor. */
    private RuntimeException notApplied(@Nullable GroupedIncrement increment) {
        if (increment == null) {
            return thrown(Refusals.of(Refusal.IN_DOUBT, settings.scope(), null));
        }
        Throwable reason = increment.reason();
        Refusal why = increment.refusal() == Refusal.IN_DOUBT
                ? database.arbiter().settle(increment, timeout)
                : increment.refusal();
        if (why == null) {
            RuntimeException failure = thrownFor(reason);
            Refusal unavailability = database.unavailability(failure);
            return unavailability == null ? failure : thrown(Refusals.of(unavailability, settings.scope(), failure));
        }
        if (reason != null || why == Refusal.TIMEOUT || why == Refusal.CONFLICT) {
            return thrown(Refusals.of(why, settings.scope(), reason));
        }
        refused = why;
        return new NotAppliedException();
    }

    private static RuntimeException thrownFor(@Nullable Throwable reason) {
        if (reason instanceof SQLException e) {
            return GuardedDatabase.translate("add to a counter", e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }

    /** Why {@link #applyInGroup} has returned null. */
    public String whyNotInGroup() {
        if (!ownTransaction) {
            return "the method is part of a transaction that was begun for more than it.";
        }
        return database.arbiter().entersWithFirstStatement(settings.sqlOnly())
                ? "the method has executed other SQL before."
                : "in ledger mode only a method with sqlOnly = true can do that.";
    }

    /** If the operation was entered in vain, finds out why; its transaction has ended. */
    private void decide() {
        if (refused == null && proof != null && admission instanceof Claim claim) {
            refused = proof.failedEntry(claim, timeout);
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
    public boolean isRolledBack() {
        return !grouped && entered != null && entered.isRolledBack();
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
        Refusal settled =
                follows && proof != null && admission instanceof Claim claim ? proof.settle(claim, timeout) : null;
        if (settled != null || !isNotApplied()) {
            return settled;
        }
        return isUnreachable(failure) ? Refusal.UNREACHABLE : database.unrecordability(failure);
    }

    /** Whether its transaction, if it has entered one, has ended and did not commit. Asked where that is not in doubt. */
    private boolean isNotApplied() {
        return !grouped && !followsCaller() && (entered == null || !entered.isCommitted());
    }

    /** Whether the reason is that there was no connection, or none any more. */
    private boolean isUnreachable(Throwable failure) {
        return failure instanceof CannotCreateTransactionException
                || (entered != null && entered.isBroken() && GuardedDatabase.isIn(failure));
    }

    /** Frees the claim if neither a transaction nor a group took it: then nothing was done. */
    private void freeUnlessEntered() {
        if (admission instanceof Claim claim && claim.isHeld() && !follows && !grouped) {
            claim.rolledBack();
        }
    }
}
