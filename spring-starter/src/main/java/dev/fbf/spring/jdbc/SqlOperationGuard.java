package dev.fbf.spring.jdbc;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.StoreException;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallTransaction;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ScopeDefinition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Guard of operations that are applied in transactions, with their open scope and database. Thread-safe. */
abstract class SqlOperationGuard extends OperationGuard {

    final Guards guards;
    final GuardedDatabase database;

    /** The longest wait of a request for the settlement of an operation in doubt. */
    final Duration settleTimeout;

    /** Whether operations are committed in groups, which have separate connections. */
    private final boolean grouped;

    SqlOperationGuard(
            Guards guards,
            OperationSettings settings,
            GuardedDatabase database,
            ScopeDefinition scope,
            boolean grouped) {
        super(settings, scope);
        this.guards = guards;
        this.database = database;
        this.grouped = grouped;
        settleTimeout = guards.settleTimeout;
    }

    @Override
    public final Admission admit(Operation operation) {
        Admission admission;
        try {
            admission = guards.state.refuses() ? Refusal.STOPPED : decide(operation);
        } catch (DataAccessException | StorageException | StoreException e) {
            throw database.undecided(settings.scope(), e);
        }
        if (admission == Refusal.HELD_BACK) {
            throw Refusals.heldBack(settings.scope(), heldBackFor());
        }
        return admission;
    }

    /** Decides on an operation; a hit of the filter is confirmed where the database can do so. */
    abstract Admission decide(Operation operation);

    /** Decides on an operation of a batch as {@link #decide} does; the statement that enters it may find that it was applied. */
    abstract Admission decideInBatch(Operation operation);

    /** Returns the remaining time in which operations are held back. */
    abstract Duration heldBackFor();

    /** Returns whether the database has recorded an operation whose key forbids applying it. */
    abstract boolean isRecorded(Operation operation);

    /**
     * Returns the outcome of an increment whose group's COMMIT got no response: {@link Refusal#APPLIED}, {@link Refusal#IN_DOUBT}, or null
     * if it was not applied.
     */
    abstract @Nullable Refusal awaitSettled(GroupedIncrement increment);

    /** Returns the exception for the failure of a group's statement. */
    RuntimeException failed(SQLException e) {
        return GuardedDatabase.translate("add to a counter", e);
    }

    /** Returns whether the request of an operation that is not part of this thread's transaction matches this one. */
    abstract boolean recognizes(Operation operation, long fingerprint);

    @Override
    public final boolean isHeldByThisThread(Operation operation) {
        return guards.isHeldByThisThread(operation.id());
    }

    @Override
    public final @Nullable CallTransaction transaction() {
        return database.openTransaction();
    }

    @Override
    public final boolean isInTransaction(Operation operation) {
        GuardedTransaction current = database.openTransaction();
        return current != null && current.holds(operation.id());
    }

    @Override
    public final Execution begin(Claim claim, Operation operation) {
        return grouped ? new GroupedCall(this, operation, claim) : new GuardedCall(this, operation, claim);
    }

    /** Returns a guard of the same operations for increments that are committed in groups. */
    abstract SqlOperationGuard grouped();

    /**
     * Checks the key of an operation. If the key forbids applying it, checks the ledger, because another node may have applied it.
     *
     * @return true if the operation may not be applied now, and the ledger has it; false if it may be applied
     * @throws OperationRefusedException if the ledger lacks the operation and it may not be applied; the execution is refused
     */
    boolean isRecordedOutsideWindow(Execution execution, Operation operation) {
        try {
            return isRecordedOutsideWindow(operation);
        } catch (OperationRefusedException e) {
            throw execution.refuse(e);
        }
    }

    private boolean isRecordedOutsideWindow(Operation operation) {
        try {
            requireNotForgotten(operation);
            return false;
        } catch (OperationRefusedException e) {
            if (!isRecorded(operation)) {
                throw e;
            }
            return true;
        }
    }

    @Override
    public final <E extends Throwable> int applyAll(
            List<Operation> operations,
            IdempotentScope.BatchWork<Operation, E> work,
            OperationObservationContext observed)
            throws E {
        database.transactions.requireRoom(settings.scope(), 0, operations.size());
        Map<Operation, Claim> claims = claimAll(operations);
        if (claims.isEmpty()) {
            observed.setOutcome(OperationOutcome.REPLAYED);
            return 0;
        }
        return new BatchCall(this, claims).run(work, observed);
    }

    /**
     * Claims the operations of a batch that may be new. The statement that enters them finds the ones that the ledger already has.
     *
     * @throws OperationRefusedException if one may not be applied now; none is claimed then
     */
    private Map<Operation, Claim> claimAll(List<Operation> operations) {
        Map<Operation, Claim> claims = new LinkedHashMap<>();
        try {
            for (Operation operation : operations) {
                Admission admission = guards.state.refuses() ? Refusal.STOPPED : decideInBatch(operation);
                if (admission instanceof Claim claim) {
                    claims.put(operation, claim);
                    if (isRecordedOutsideWindow(operation)) {
                        claims.remove(operation);
                        claim.applied();
                    }
                } else if (admission == Refusal.HELD_BACK) {
                    throw Refusals.heldBack(settings.scope(), heldBackFor());
                } else if (admission != Refusal.APPLIED) {
                    throw Refusals.of((Refusal) admission, settings.scope(), null);
                }
            }
            return claims;
        } catch (DataAccessException | StorageException | StoreException e) {
            free(claims.values());
            throw database.undecided(settings.scope(), e);
        } catch (Throwable e) {
            free(claims.values());
            throw e;
        }
    }

    static void free(Collection<Claim> claims) {
        claims.stream().filter(Claim::isHeld).forEach(Claim::free);
    }

    @Override
    public final Execution unguarded() {
        return new GuardedCall(this, null, null);
    }

    @Override
    public final boolean recognizes(Operation operation) {
        Long fingerprint = operation.fingerprint();
        if (fingerprint == null) {
            return true;
        }
        GuardedTransaction current = database.transactions.current();
        if (current != null && current.applies(operation.id())) {
            Long known = current.fingerprint(operation.id());
            return known == null || known.equals(fingerprint);
        }
        try {
            return recognizes(operation, fingerprint);
        } catch (DataAccessException | StorageException | StoreException e) {
            throw database.undecided(settings.scope(), e);
        }
    }
}
