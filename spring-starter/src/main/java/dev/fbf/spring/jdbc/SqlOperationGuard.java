package dev.fbf.spring.jdbc;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.LostCommits;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Response;
import dev.fbf.db.node.ClockSpread;
import dev.fbf.db.node.ScopeLease;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Guard of operations that are applied in transactions, with their open scope and database. Thread-safe. */
final class SqlOperationGuard extends OperationGuard {

    private final Guards guards;
    private final ScopeClaims scopeClaims;
    private final Arbiter arbiter;
    private final @Nullable ScopeLease lease;

    /** Whether the filter alone decides: no record confirms its hits, so a hit proves nothing while the filter is overfull. */
    private final boolean filterDecides;

    /** Whether operations are committed in groups, which have separate connections. */
    private final boolean grouped;

    private final ConnectionPermits.@Nullable Share permits;

    /** Receiver of first responses, which are written next to the ledger; null if they are not kept there. */
    private final @Nullable Consumer<Response> responses;

    final GuardedDatabase database;

    /** The longest wait of a request for the settlement of an operation in doubt. */
    final Duration settleTimeout;

    SqlOperationGuard(
            Guards guards,
            OperationSettings settings,
            ScopeClaims scopeClaims,
            GuardedDatabase database,
            ScopeDefinition scope,
            boolean grouped) {
        super(settings, scope);
        this.guards = guards;
        this.scopeClaims = scopeClaims;
        this.database = database;
        this.grouped = grouped;
        arbiter = database.arbiter;
        settleTimeout = guards.settleTimeout;
        lease = database.lease == null ? null : database.lease.of(settings.scope());
        filterDecides = scope.mode() == Mode.FILTER;
        permits = grouped ? null : database.permits(settings.scope());
        responses = arbiter.responses(scopeClaims.retryWindow());
    }

    /** Returns a guard of the same operations for increments that are committed in groups. */
    SqlOperationGuard grouped() {
        return new SqlOperationGuard(guards, settings, scopeClaims, database, scope, true);
    }

    /** Admits an operation whose thread has a connection, or gets a permit for one. Retries need none. */
    @Override
    public Admission admit(Operation operation) {
        Admission admission;
        try {
            admission = decide(operation, () -> find(operation) != null);
        } catch (DataAccessException | StorageException e) {
            throw database.undecided(settings.scope(), e);
        }
        if (admission == Refusal.HELD_BACK) {
            throw Refusals.heldBack(settings.scope(), heldBackFor());
        }
        if (!(admission instanceof Claim claim) || permits == null) {
            return admission;
        }
        boolean isPermitted = false;
        try {
            isPermitted = permits.isHeldByThisThread() || database.hasConnection() || permits.tryAcquire() != null;
        } finally {
            if (!isPermitted) {
                claim.free();
            }
        }
        return isPermitted ? claim : admitLater(permits, operation);
    }

    /** Waits for a permit, without a claim. A refusal returns the permit. */
    private Admission admitLater(ConnectionPermits.Share share, Operation operation) {
        ConnectionPermits.Permit permit = share.acquire();
        if (permit == null) {
            throw Refusals.noConnection(settings.scope());
        }
        Admission admission = null;
        try {
            admission = admit(operation);
            return admission;
        } finally {
            if (!(admission instanceof Claim)) {
                permit.close();
            }
        }
    }

    private Duration heldBackFor() {
        Duration byLease = lease == null ? Duration.ZERO : lease.heldBackFor();
        Duration byFilter = scopeClaims.heldBackFor();
        return byLease.compareTo(byFilter) > 0 ? byLease : byFilter;
    }

    /**
     * Decides on an operation.
     *
     * @param confirmation tests whether an operation that the filter contains was applied
     */
    private Admission decide(Operation operation, BooleanSupplier confirmation) {
        if (guards.state.refuses()) {
            return Refusal.STOPPED;
        }
        if (!arbiter.isReady()) {
            return Refusal.RECOVERING;
        }
        Refusal standing = lease == null ? null : lease.use();
        if (standing != null) {
            return standing;
        }
        Admission admission = scopeClaims.admit(operation.id(), confirmation);
        if (admission == Refusal.IN_PROGRESS || admission == Refusal.NO_ROOM) {
            if (database.transactionApplies(operation.id())) {
                return Refusal.APPLIED; // this thread's COMMIT applies the operation
            }
            if (database.transactions.endAbandoned()) {
                admission = scopeClaims.admit(operation.id(), confirmation);
            }
        }
        if (admission == Refusal.IN_DOUBT && scopeClaims.awaitSettled(operation.id(), settleTimeout)) {
            admission = scopeClaims.admit(operation.id(), confirmation);
        }
        if (admission == Refusal.APPLIED && !vouches()) {
            return Refusal.LOST;
        }
        if (admission == Refusal.APPLIED
                && filterDecides
                && scopeClaims.filter().isOverfull()) {
            return Refusal.OVERFULL;
        }
        if (admission == Refusal.NO_ROOM) {
            guards.noRoom();
        }
        if (admission instanceof Claim claim && operation.fingerprint() != null) {
            try {
                arbiter.recordRequest(claim, operation.fingerprint());
            } catch (Throwable e) {
                claim.free();
                throw e;
            }
        }
        return admission;
    }

    /** Returns the details of an applied operation, which the rest of the call reuses; null if it was not applied. */
    private Arbiter.@Nullable Applied find(Operation operation) {
        Arbiter.Applied found = arbiter.find(operation.id());
        operation.applied().set(found);
        return found;
    }

    private Arbiter.@Nullable Applied applied(Operation operation) {
        Arbiter.Applied known = operation.applied().get();
        return known == null ? find(operation) : known;
    }

    /**
     * Returns whether, as far as known, the database has kept all commits that the scope's filter remembers; true also if an operator has
     * accepted their loss.
     */
    private boolean vouches() {
        LostCommits lost = arbiter.lostCommits();
        return lost == null
                // the filter has no older operations left: it forgets after a window, a period and a refresh delay
                || lost.since()
                        .plus(scopeClaims.filter().plan().window().multipliedBy(2))
                        .isBefore(Instant.now());
    }

    @Override
    public boolean isHeldByThisThread(Operation operation) {
        return guards.isHeldByThisThread(operation.id());
    }

    @Override
    public @Nullable CallTransaction transaction() {
        return database.openTransaction();
    }

    @Override
    public boolean isInTransaction(Operation operation) {
        GuardedTransaction current = database.openTransaction();
        return current != null && current.holds(operation.id());
    }

    @Override
    public Execution begin(Claim claim, Operation operation) {
        return grouped
                ? new GroupedCall(this, operation, claim)
                : new GuardedCall(this, operation, claim, permits == null ? null : permits.handOver());
    }

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
            if (!arbiter.hasRecorded(operation.id())) {
                throw e;
            }
            return true;
        }
    }

    @Override
    protected ClockSpread clocks() {
        ClockSpread clocks = database.lease == null ? ClockSpread.NONE : database.lease.clocks(settings.scope());
        if (clocks == null) {
            throw Refusals.of(Refusal.UNCONFIRMED, settings.scope(), null);
        }
        if (!clocks.wrongBy().isZero()) {
            throw Refusals.wrongClock(settings.scope(), clocks.wrongBy());
        }
        return clocks;
    }

    @Override
    public <E extends Throwable> int applyAll(
            List<Operation> operations,
            IdempotentScope.BatchWork<Operation, E> work,
            OperationObservationContext observed)
            throws E {
        database.transactions.requireRoom(settings.scope(), 0, operations.size());
        Map<Operation, Claim> claims = claimAll(operations);
        ConnectionPermits.Permit permit = null;
        if (permits != null && !claims.isEmpty() && !permits.isHeldByThisThread() && !database.hasConnection()) {
            permit = permits.tryAcquire();
            if (permit == null) {
                free(claims.values());
                permit = permits.acquire(); // waits without claims
                if (permit == null) {
                    throw Refusals.noConnection(settings.scope());
                }
                claims = claimAll(permit, operations);
            }
        }
        if (claims.isEmpty()) {
            observed.setOutcome(OperationOutcome.REPLAYED);
            return 0;
        }
        return new BatchCall(this, claims, permit).run(work, observed);
    }

    /** Claims operations as {@link #claimAll(List)} does; returns the permit if none is claimed. */
    private Map<Operation, Claim> claimAll(ConnectionPermits.Permit permit, List<Operation> operations) {
        Map<Operation, Claim> claims = Map.of();
        try {
            claims = claimAll(operations);
            return claims;
        } finally {
            if (claims.isEmpty()) {
                permit.close();
            }
        }
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
                Admission admission = decide(operation, () -> filterDecides);
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
        } catch (DataAccessException | StorageException e) {
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
    public Execution unguarded() {
        return new GuardedCall(this, null, null, null);
    }

    @Override
    public boolean recognizes(Operation operation) {
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
            return arbiter.recognizes(operation.id(), applied(operation), fingerprint, scopeClaims.filter());
        } catch (DataAccessException | StorageException e) {
            throw database.undecided(settings.scope(), e);
        }
    }

    @Override
    protected boolean keepsResponses() {
        return responses != null;
    }

    @Override
    protected void keep(Response response) {
        requireNonNull(responses).accept(response);
    }

    @Override
    protected @Nullable Response response(Operation operation) {
        try {
            return arbiter.response(operation.id(), operation.applied().get());
        } catch (DataAccessException e) {
            throw database.undecided(settings.scope(), e);
        }
    }
}
