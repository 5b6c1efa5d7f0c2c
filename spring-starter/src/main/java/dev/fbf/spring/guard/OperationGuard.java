package dev.fbf.spring.guard;

import dev.fbf.core.guard.Admission;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Guard;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.Arbiter;
import dev.fbf.db.NodeLease;
import dev.fbf.db.Response;
import dev.fbf.spring.declaration.OperationSettings;
import dev.fbf.spring.key.RetryWindow;
import dev.fbf.spring.transaction.Enlistment;
import dev.fbf.spring.transaction.GuardedDatabase;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Admits the operations that are declared together, with what is open for them. Thread-safe. */
public final class OperationGuard {

    private final Guards guards;
    private final OperationSettings settings;
    private final Guard guard;
    private final GuardedDatabase database;
    private final RetryWindow window;
    private final Duration settleTimeout;
    private final @Nullable RecentResponses recentResponses;

    /**
     * @param settleTimeout how long a request waits for an operation in doubt to be settled
     * @param recentResponses in filter mode, where no table keeps responses
     */
    OperationGuard(
            Guards guards,
            OperationSettings settings,
            Guard guard,
            GuardedDatabase database,
            RetryWindow window,
            Duration settleTimeout,
            @Nullable RecentResponses recentResponses) {
        this.guards = guards;
        this.settings = settings;
        this.guard = guard;
        this.database = database;
        this.window = window;
        this.settleTimeout = settleTimeout;
        this.recentResponses = recentResponses;
    }

    /** How the operations are applied. */
    public OperationSettings settings() {
        return settings;
    }

    public GuardedDatabase database() {
        return database;
    }

    /** How long the operations are surely remembered. */
    public RetryWindow window() {
        return window;
    }

    public Admission admit(Operation operation) {
        if (guards.isStopping()) {
            return Refusal.STOPPED;
        }
        Arbiter arbiter = database.arbiter();
        NodeLease lease = database.lease();
        if (!arbiter.isReady() || (lease != null && !lease.admits(settings.scope()))) {
            return Refusal.RECOVERING;
        }
        Admission admission = guard.admit(operation.id(), arbiter::confirms);
        if (admission == Refusal.IN_DOUBT && guard.awaitSettled(operation.id(), settleTimeout)) {
            admission = guard.admit(operation.id(), arbiter::confirms);
        }
        if (admission == Refusal.NO_ROOM) {
            guards.noRoom();
        }
        if (admission instanceof Claim claim && operation.fingerprint() != null) {
            arbiter.claimed(claim, operation.fingerprint());
        }
        return admission;
    }

    /** Begins the way of an operation that was admitted. */
    public Enlistment enlistment(Claim claim, Operation operation) {
        return new Enlistment(
                database,
                claim,
                operation.fingerprint(),
                () -> admit(operation),
                () -> window.requireNotForgotten(operation.key()),
                settings,
                settleTimeout);
    }

    /** Whether an applied operation was asked for by a request like this one, as far as can be told. */
    public boolean recognizes(Operation operation) {
        Long fingerprint = operation.fingerprint();
        return fingerprint == null || database.arbiter().recognizes(operation.id(), fingerprint, guard.filter());
    }

    /**
     * Keeps what is answered to the request of an operation that was applied; null if nothing is kept.
     *
     * @param needed whether retries have no other response
     */
    public @Nullable Consumer<Response> responses(boolean needed) {
        return recentResponses == null ? database.arbiter().responses() : needed ? recentResponses::add : null;
    }

    /** What was answered when the operation was applied; null if that is not known. */
    public @Nullable Response response(Operation operation) {
        return recentResponses == null
                ? database.arbiter().response(operation.id())
                : recentResponses.find(operation.id().toUuid());
    }
}
