package dev.fbf.spring.transaction;

import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.Counters.Outcome;
import dev.fbf.db.Proof;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.declaration.OperationSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/** An operation that was admitted: from its claim to the outcome of its transaction. */
public final class Enlistment {

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

    /** The operation was taken out of the transaction, to be applied together with others. */
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
     */
    public Enlistment(
            GuardedDatabase database,
            Claim claim,
            @Nullable Long fingerprint,
            Supplier<Admission> admissions,
            Runnable lastCheck,
            OperationSettings settings,
            Duration timeout) {
        this.database = database;
        this.fingerprint = fingerprint;
        this.admissions = admissions;
        this.lastCheck = lastCheck;
        this.settings = settings;
        this.timeout = timeout;
        outer = database.transactions().current();
        admission = claim;
    }

    PlatformTransactionManager manager() {
        return database.manager();
    }

    /** Throws if this thread's transaction has as many operations as it may have. */
    void requireRoom() {
        GuardedTransaction current = database.transactions().current();
        if (current != null) {
            current.requireRoom(settings.scope());
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
        if (admission instanceof Claim claim) {
            try {
                refused = transaction.enter(claim, fingerprint, database.currentConnection(), scope(transaction));
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

    /** What was thrown to the work because of this operation; null if nothing was. */
    public @Nullable OperationRefusedException thrown() {
        return thrown;
    }

    private Proof.Scope scope(GuardedTransaction transaction) {
        if (transaction == outer) {
            return Proof.Scope.CALLERS;
        }
        return settings.sqlOnly() ? Proof.Scope.CALL_WITHOUT_TRACE : Proof.Scope.CALL;
    }

    /** Lets the transaction that begins next take its connection when it is used, if it is this call's own. */
    @Nullable LazyConnectionHolder bindLazyConnection() {
        try {
            return outer == null ? database.bindLazyConnection(settings) : null;
        } catch (SQLException e) {
            throw GuardedDatabase.translate("prepare a transaction", e);
        }
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
     * @throws NotAppliedException if {@link #refusal()} tells why it was not applied
     */
    public @Nullable Long applyInGroup(Counters counters, String counter, long delta, Duration longest) {
        if (grouped) {
            throw new IllegalStateException("scope=" + settings.scope() + ", counter=" + counter
                    + ": the operation of this call has been applied by its first increment. Add to several counters with one increment(Map), or with"
                    + " increment(counter), which is part of the method's transaction.");
        }
        if (!(admission instanceof Claim claim)) {
            return null;
        }
        if (entered == null) {
            checkOnceMore();
        } else if (!leave(claim)) {
            return null;
        }
        grouped = true;
        follows = false;
        Outcome outcome = outcomeOf(counters, claim, counter, delta, longest);
        if (outcome instanceof Outcome.Applied applied) {
            return applied.value();
        }
        if (outcome instanceof Outcome.Refused refusal) {
            throw notApplied(refusal.why());
        }
        if (outcome instanceof Outcome.Failed failed) {
            throw thrownFor(failed.reason());
        }
        throw unknown(claim, (Outcome.Unknown) outcome);
    }

    private Outcome outcomeOf(Counters counters, Claim claim, String counter, long delta, Duration longest) {
        try {
            return counters.apply(claim, fingerprint, counter, delta, longest);
        } catch (IllegalArgumentException e) {
            claim.rolledBack(); // it was not taken
            throw e;
        }
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

    /** Leaves the transaction if that is this call's own, and nothing was executed in it. */
    private boolean leave(Claim claim) {
        GuardedTransaction current = database.transactions().current();
        return ownTransaction
                && follows
                && database.isLazy()
                && current != null
                && current == entered
                && proof != null
                && proof.leave(claim);
    }

    /** What another call has decided, that call's caller is told by the executor. */
    private RuntimeException notApplied(Refusal why) {
        if (why == Refusal.NO_TURN || why == Refusal.CONFLICT) {
            return thrown(OperationRefusedException.of(why, settings.scope()));
        }
        refused = why;
        return new NotAppliedException();
    }

    private static RuntimeException thrownFor(Throwable reason) {
        if (reason instanceof SQLException e) {
            return GuardedDatabase.translate("add to a counter", e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }

    private RuntimeException unknown(Claim claim, Outcome.Unknown unknown) {
        Refusal settled = database.arbiter().settle(claim.id(), unknown, timeout);
        if (settled == null && unknown.reason() != null) {
            return thrownFor(unknown.reason());
        }
        return thrown(
                settled == Refusal.APPLIED
                        ? OperationUnavailableException.resultLost(settings.scope(), unknown.reason())
                        : OperationUnavailableException.inDoubt(settings.scope(), unknown.reason()));
    }

    /** If the operation was entered in vain, finds out why; its transaction has ended. */
    public void decide() {
        if (refused == null && proof != null && admission instanceof Claim claim) {
            refused = proof.failedEntry(claim, timeout);
            follows &= refused == null;
        }
    }

    /** Whether the operation was not entered: then its work has done nothing, whatever it returned or threw. */
    public boolean wasNotEntered() {
        return refused != null;
    }

    /** The scope of the operation. */
    public String scope() {
        return settings.scope();
    }

    /** Whether its transaction is a caller's, so that its outcome is not known yet when the method has returned. */
    public boolean followsCaller() {
        return follows && outer != null && entered == outer && !outer.isCompleted();
    }

    /** Whether the transaction can only roll back. */
    public boolean spoiltTransaction() {
        return refused == Refusal.RECOVERING;
    }

    /** The method has returned; whether its transaction commits is open. */
    void returned(@Nullable Object value) {
        returned = true;
        result = value;
    }

    public boolean hasReturned() {
        return returned;
    }

    public @Nullable Object result() {
        return result;
    }

    /** Why the method was not called; null if it was, or if nobody came so far as to ask. */
    public @Nullable Refusal refusal() {
        return admission instanceof Refusal refusal ? refusal : refused;
    }

    /** As {@link Proof#settle}. */
    public @Nullable Refusal settle() {
        return follows && proof != null && admission instanceof Claim claim ? proof.settle(claim, timeout) : null;
    }

    /** Frees the claim if neither a transaction nor a group took it: then nothing was done. */
    public void freeUnlessEntered() {
        if (admission instanceof Claim claim && claim.isHeld() && !follows && !grouped) {
            claim.rolledBack();
        }
    }
}
