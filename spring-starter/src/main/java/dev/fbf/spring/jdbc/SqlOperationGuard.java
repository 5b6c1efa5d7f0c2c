package dev.fbf.spring.jdbc;

import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.LostCommits;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Response;
import dev.fbf.db.node.ClockSpread;
import dev.fbf.db.node.NodeLease;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.KeptResponses;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.RetryWindow;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/** Guard of operations that are applied in transactions, with their open scope and database. Thread-safe. */
class SqlOperationGuard implements OperationGuard {

    private final Guards guards;
    private final OperationSettings settings;
    private final ScopeClaims guard;
    private final GuardedDatabase database;
    private final ScopeDefinition scope;
    private final Duration settleTimeout;
    private final @Nullable KeptResponses keptResponses;
    private final ConnectionPermits.@Nullable Share permits;

    /**
     * @param settleTimeout how long a request waits for an operation in doubt to be settled
     * @param keptResponses null where no responses are kept
     */
    SqlOperationGuard(
            Guards guards,
            OperationSettings settings,
            ScopeClaims guard,
            GuardedDatabase database,
            ScopeDefinition scope,
            Duration settleTimeout,
            @Nullable KeptResponses keptResponses) {
        this.guards = guards;
        this.settings = settings;
        this.guard = guard;
        this.database = database;
        this.scope = scope;
        this.settleTimeout = settleTimeout;
        this.keptResponses = keptResponses;
        permits = database.permits(settings.scope());
    }

    private SqlOperationGuard(SqlOperationGuard other) {
        this(
                other.guards,
                other.settings,
                other.guard,
                other.database,
                other.scope,
                other.settleTimeout,
                other.keptResponses);
    }

    @Override
    public OperationSettings settings() {
        return settings;
    }

    GuardedDatabase database() {
        return database;
    }

    Duration settleTimeout() {
        return settleTimeout;
    }

    @Override
    public RetryWindow window() {
        return scope.window();
    }

    /** Admits the same operations as increments that are committed together with those of other callers. */
    OperationGuard grouped() {
        return new Grouped();
    }

    /** Those need no permit: groups have connections of their own. */
    private final class Grouped extends SqlOperationGuard {

        Grouped() {
            super(SqlOperationGuard.this);
        }

        @Override
        public Admission admit(Operation operation) {
            return admitNow(operation);
        }

        @Override
        public Execution begin(Claim claim, Operation operation) {
            return new Execution(new GroupedCall(this, operation), claim);
        }
    }

    @Override
    public Admission admit(Operation operation) {
        if (permits == null || permits.isHeldByThisThread() || database.hasConnection()) {
            return admitNow(operation);
        }
        ConnectionPermits.Permit permit = permits.tryAcquire();
        return permit != null ? admitWith(permit, operation) : admitLater(permits, operation);
    }

    /** Waits for a permit, without a claim. Retries do not wait, because they need no connection. */
    private Admission admitLater(ConnectionPermits.Share share, Operation operation) {
        Admission admission = admitNow(operation);
        if (!(admission instanceof Claim claim)) {
            return admission;
        }
        claim.rolledBack();
        ConnectionPermits.Permit permit = share.acquire();
        if (permit == null) {
            throw Refusals.noConnection(settings.scope());
        }
        return admitWith(permit, operation);
    }

    private Admission admitWith(ConnectionPermits.Permit permit, Operation operation) {
        Admission admission = null;
        try {
            admission = admitNow(operation);
            return admission;
        } finally {
            if (!(admission instanceof Claim)) {
                permit.close();
            }
        }
    }

    final Admission admitNow(Operation operation) {
        Admission admission = ask(() -> decide(operation));
        if (admission == Refusal.HELD_BACK) {
            throw Refusals.heldBack(settings.scope(), heldBackFor());
        }
        return admission;
    }

    private Duration heldBackFor() {
        NodeLease lease = database.lease();
        Duration byLease = lease == null ? Duration.ZERO : lease.heldBackFor(settings.scope());
        Duration byFilter = guard.heldBackFor();
        return byLease.compareTo(byFilter) > 0 ? byLease : byFilter;
    }

    private Admission decide(Operation operation) {
        if (guards.isStopping()) {
            return Refusal.STOPPED;
        }
        Arbiter arbiter = database.arbiter();
        NodeLease lease = database.lease();
        if (!arbiter.isReady()) {
            return Refusal.RECOVERING;
        }
        Refusal standing = lease == null ? null : lease.refusal(settings.scope());
        if (standing != null) {
            return standing;
        }
        Admission admission = guard.admit(operation.id(), arbiter::confirms);
        if (admission == Refusal.IN_PROGRESS || admission == Refusal.NO_ROOM) {
            if (database.isInTransaction(operation.id())) {
                return Refusal.APPLIED; // a duplicate of one that this thread's transaction applies if it commits
            }
            if (database.endAbandoned()) {
                admission = guard.admit(operation.id(), arbiter::confirms);
            }
        }
        if (admission == Refusal.IN_DOUBT && guard.awaitSettled(operation.id(), settleTimeout)) {
            admission = guard.admit(operation.id(), arbiter::confirms);
        }
        if (admission == Refusal.APPLIED && !vouches(arbiter)) {
            return Refusal.LOST;
        }
        if (admission == Refusal.APPLIED && isOverfull()) {
            return Refusal.OVERFULL;
        }
        if (admission == Refusal.NO_ROOM) {
            guards.noRoom();
        }
        if (admission instanceof Claim claim && operation.fingerprint() != null) {
            try {
                arbiter.claimed(claim, operation.fingerprint());
            } catch (Throwable e) {
                claim.rolledBack();
                throw e;
            }
        }
        return admission;
    }

    /** Whether a hit of the filter proves nothing, where nothing else confirms it. */
    private boolean isOverfull() {
        return scope.mode() == Mode.FILTER && guard.filter().isOverfull();
    }

    /** Whether the database still has what the filter of a scope remembers, as far as can be told or an operator has accepted. */
    private boolean vouches(Arbiter arbiter) {
        LostCommits lost = arbiter.lostCommits();
        return lost == null
                // the filter has none left that are older: it forgets after a window, a period and a late refresh
                || lost.since()
                        .plus(guard.filter().plan().window().multipliedBy(2))
                        .isBefore(Instant.now());
    }

    /** If the question fails, this call applied nothing; a retry gets the outcome when the database responds. */
    private <T extends @Nullable Object> T ask(Supplier<T> question) {
        try {
            return question.get();
        } catch (DataAccessException e) {
            Refusal unavailability = database.unavailability(e);
            throw unavailability == null ? e : Refusals.of(unavailability, settings.scope(), e);
        } catch (StorageException e) {
            throw Refusals.of(Refusal.FAILED, settings.scope(), e);
        }
    }

    @Override
    public boolean isHeldByThisThread(Operation operation) {
        return guards.isHeldByThisThread(operation.id());
    }

    @Override
    public CallContext.@Nullable Transaction transaction() {
        return database.transaction();
    }

    @Override
    public boolean isInTransaction(Operation operation) {
        return database.isHeldByTransaction(operation.id());
    }

    @Override
    public Execution begin(Claim claim, Operation operation) {
        return new Execution(new GuardedCall(this, operation, permits == null ? null : permits.handOver()), claim);
    }

    /**
     * Checks the key of an operation that is not known to be applied.
     *
     * @throws OperationRefusedException if the operation may not be applied now
     */
    void requireNotForgotten(Operation operation) {
        scope.window().requireNotForgotten(operation.key(), this::clocks);
    }

    /**
     * Checks the key of an operation, and asks the ledger if that may not be applied: another node may have applied it.
     *
     * @return whether the ledger has the operation; false if the operation may be applied
     * @throws OperationRefusedException if neither
     */
    boolean isRecorded(Operation operation) {
        try {
            requireNotForgotten(operation);
            return false;
        } catch (OperationRefusedException e) {
            if (!database.arbiter().hasRecorded(operation.id())) {
                throw e;
            }
            return true;
        }
    }

    private ClockSpread clocks() {
        NodeLease lease = database.lease();
        ClockSpread clocks = lease == null ? ClockSpread.NONE : lease.clocks(settings.scope());
        if (clocks == null) {
            throw Refusals.of(Refusal.UNCONFIRMED, settings.scope(), null);
        }
        if (!clocks.wrongBy().isZero()) {
            throw Refusals.wrongClock(settings.scope(), clocks.wrongBy());
        }
        return clocks;
    }

    @Override
    public Execution unguarded() {
        return Execution.unguarded(new GuardedCall(this, null, null));
    }

    @Override
    public boolean recognizes(Operation operation) {
        Long fingerprint = operation.fingerprint();
        if (fingerprint == null) {
            return true;
        }
        if (database.isInTransaction(operation.id())) {
            return database.isOfRequest(operation.id(), fingerprint);
        }
        return ask(() -> database.arbiter().recognizes(operation.id(), fingerprint, guard.filter()));
    }

    @Override
    public @Nullable Consumer<Response> responses(Operation operation) {
        return keptResponses == null ? null : keptResponses.of(settings.scope(), operation.caller());
    }

    @Override
    public @Nullable Response response(Operation operation) {
        return keptResponses == null ? null : ask(() -> keptResponses.find(settings.scope(), operation.id()));
    }
}
