package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.StoreException;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.db.dialect.Response;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.ledger.LedgerScopes;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.StartException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Guard of operations in ledger mode. Thread-safe. */
final class LedgerGuard extends SqlOperationGuard {

    private static final Logger log = LoggerFactory.getLogger(LedgerGuard.class);

    private final LedgerDatabase ledger;
    private final Claims claims;
    private final RecentOperations recent;
    private final boolean letsThrough;

    /** The scopes' modes; null if this process does not register. */
    private final @Nullable LedgerScopes scopes;

    /** Receiver of first responses, which are written next to the ledger; null if they are not kept there. */
    private final @Nullable Consumer<Response> responses;

    LedgerGuard(Guarded guarded, Claims claims, RecentOperations recent, boolean letsThrough) {
        super(guarded);
        ledger = (LedgerDatabase) guarded.database();
        this.claims = claims;
        this.recent = recent;
        this.letsThrough = letsThrough;
        scopes = ledger.scopes;
        responses = ledger.ledger.responses(scope.retryWindow());
    }

    @Override
    public boolean letsThrough() {
        return letsThrough;
    }

    /*
     * The claim comes first and the look-up second. In the other order a duplicate could find nothing, the first request be applied and
     * free its claim, and the duplicate take it; then only the primary key would stop it.
     */
    @Override
    protected Admission take(Operation operation, boolean isAlone) {
        if (scopes != null) {
            Refusal known = scopes.refusal(settings.scope());
            Refusal standing = known == Refusal.UNCONFIRMED ? confirm(scopes) : known;
            if (standing != null) {
                return standing;
            }
        }
        Admission admission =
                claims.take(operation.id(), settings.scope(), retention(operation), operation.fingerprint());
        return isAlone && admission != Refusal.NO_ROOM && recent.mightContain(operation.id())
                ? confirm(operation, admission)
                : admission;
    }

    /** Reads the scope's mode; returns the reason to refuse its operations, or null. */
    private @Nullable Refusal confirm(LedgerScopes of) {
        try {
            guards.register(settings);
        } catch (StartException e) {
            log.debug("Operations of the scope {} are refused.", settings.scope(), e);
        }
        return of.refusal(settings.scope());
    }

    /** Looks for an operation that was claimed, or whose claim is held: its holder may be a retry that is about to find the same. */
    private Admission confirm(Operation operation, Admission admission) {
        boolean applied = true; // also if the look-up fails
        try {
            applied = find(operation) != null;
        } finally {
            if (applied && admission instanceof Claim claim) {
                claim.free();
            }
        }
        return applied ? Refusal.APPLIED : admission;
    }

    /** Returns the details of an applied operation, which the rest of the call reuses; null if it was not applied. */
    private Ledger.@Nullable Found find(Operation operation) {
        Ledger.Found found = ledger.ledger.find(operation.id(), operation.counter());
        operation.applied().set(found);
        return found;
    }

    /** A row is looked for after the claim, which is free only when the row is committed. */
    @Override
    protected @Nullable Refusal known(Operation operation) {
        boolean isHeld = claims.holds(operation.id());
        if (find(operation) != null) {
            return Refusal.APPLIED;
        }
        return isHeld ? Refusal.IN_PROGRESS : null;
    }

    @Override
    protected boolean forget(Operation operation) {
        ledger.ledger.forget(operation.id());
        return true;
    }

    @Override
    protected Duration heldBackFor() {
        return scopes == null ? Duration.ZERO : scopes.heldBackFor(settings.scope());
    }

    @Override
    protected boolean isRecorded(Operation operation) {
        try {
            return find(operation) != null;
        } catch (DataAccessException | StoreException e) {
            throw database.undecided(settings.scope(), e);
        }
    }

    @Override
    protected Refusal awaitSettled(GroupedIncrement increment) {
        return Refusal.IN_DOUBT; // the next attempt finds the outcome
    }

    @Override
    protected boolean recognizes(Operation operation, long fingerprint) {
        Ledger.Found applied = operation.applied().get();
        applied = applied == null ? find(operation) : applied;
        Long known = applied == null ? null : applied.fingerprint();
        return known == null || known == fingerprint;
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
            return ledger.ledger.response(operation.id(), operation.applied().get());
        } catch (RuntimeException e) {
            throw database.undecided(settings.scope(), e);
        }
    }
}
