package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The claims of a scope: lets each of its operations be applied once. Thread-safe. */
public final class ScopeClaims {

    /*
     * NEW -> CLAIMED -> APPLIED (in the filter, then freed) | NEW (freed) | IN_DOUBT (kept until it is settled)
     *
     * Admission takes the claim first and checks the filter second. The other order lets a duplicate through: the duplicate finds nothing
     * in the filter, the first request puts the operation there and frees its claim, and then the duplicate takes the claim. For the same
     * reason the filter holds an applied operation before its claim is freed.
     */
    private static final Logger log = LoggerFactory.getLogger(ScopeClaims.class);

    private final RecordedClaims claims;
    private final String scope;

    /** Hash of the scope's name, which the claims file stores. */
    final long hash;

    final ForgetfulBloomFilter filter;

    /** Whether operations are refused while a power failure may have taken some of the filter's. */
    private final boolean holdsBack;

    private final Beat beat;

    /** See {@link RecordedClaims#leftBehind}. */
    private final AtomicInteger leftBehind;

    final Duration retryWindow;

    ScopeClaims(
            RecordedClaims claims, String scope, ForgetfulBloomFilter filter, boolean holdsBack, Duration retryWindow) {
        this.claims = claims;
        this.scope = scope;
        hash = ClaimLayout.hash(scope);
        this.filter = filter;
        this.retryWindow = retryWindow;
        this.holdsBack = holdsBack;
        beat = new Beat(this, claims);
        if (lostCommits() != null) {
            sayLost();
        }
        leftBehind = claims.leftBehind(hash);
        claims.add(this);
    }

    public String scope() {
        return scope;
    }

    public ForgetfulBloomFilter filter() {
        return filter;
    }

    /** {@return the retry window: the time after an operation in which its retries may arrive} */
    public Duration retryWindow() {
        return retryWindow;
    }

    /**
     * {@return whether operations are refused with {@link Refusal#RECOVERING}, because some that the previous process left in doubt are not
     * settled yet}
     */
    public boolean isRecovering() {
        return leftBehind.get() > 0;
    }

    /**
     * Admits or refuses a request for an operation.
     *
     * @param fingerprint the fingerprint of the request, which the filter remembers with the operation; null if requests are not compared
     * @return a {@link Claim}, which the caller must end; or a {@link Refusal}
     */
    public Admission admit(OperationId id, @Nullable Long fingerprint) {
        Refusal stopped = claims.refusal();
        if (stopped != null) {
            return stopped;
        }
        if (isRecovering()) {
            return Refusal.RECOVERING;
        }
        if (!heldBackFor().isZero()) {
            return Refusal.HELD_BACK;
        }
        try {
            return claim(id, fingerprint);
        } catch (StorageException e) {
            return Refusal.FAILED; // the filter could not be read
        }
    }

    private Admission claim(OperationId id, @Nullable Long fingerprint) {
        HeldClaim claim = claims.take(this, id, fingerprint);
        if (claim == null) {
            Refusal stopped = claims.refusal();
            return stopped != null ? stopped : Refusal.NO_ROOM;
        }
        HeldClaim holder = claims.enter(claim);
        if (holder != null) {
            return whyHeld(holder);
        }
        boolean admitted = false;
        try {
            admitted = !wasApplied(id);
            return admitted ? claim : Refusal.APPLIED;
        } finally {
            if (!admitted) {
                claim.free();
            }
        }
    }

    /**
     * {@return {@link Refusal#APPLIED}, {@link Refusal#IN_PROGRESS} or {@link Refusal#IN_DOUBT}; null if the operation is unknown}
     *
     * @throws StorageException if the filter cannot be read
     */
    public @Nullable Refusal known(OperationId id) {
        HeldClaim holder = claims.find(id);
        if (holder != null) {
            return whyHeld(holder);
        }
        return wasApplied(id) ? Refusal.APPLIED : null;
    }

    /**
     * Waits at most for the timeout until an operation is no longer in doubt.
     *
     * @return true if the operation is not in doubt: the caller can request admission again
     */
    public boolean awaitSettled(OperationId id, Duration timeout) {
        HeldClaim holder = claims.find(id);
        WitnessedTransaction inDoubt = holder == null ? null : holder.inDoubt;
        return inDoubt == null || inDoubt.awaitSettled(timeout);
    }

    /** {@return the number of the scope's operations that are being applied or in doubt, as of now} */
    public int held() {
        return claims.held(hash);
    }

    /**
     * {@return the remaining time in which operations are refused with {@link Refusal#HELD_BACK}, because the filter lacks operations, or may
     * lack them after a power failure; zero if none is refused}
     */
    public Duration heldBackFor() {
        Duration lacking = filter.lackingFor();
        Duration incomplete = holdsBack ? filter.incompleteFor() : Duration.ZERO;
        return lacking.compareTo(incomplete) > 0 ? lacking : incomplete;
    }

    /** Records that the filter lacks operations, so that the scope is held back for a window. */
    synchronized void noteLacking() {
        filter.noteLacking();
    }

    boolean mayLackAfterPowerFailure() {
        return !filter.incompleteFor().isZero();
    }

    public Beat beat() {
        return beat;
    }

    /**
     * {@return the time at which the database was found to have lost committed operations of the scope, until that is {@linkplain
     * #acceptLostCommits accepted}; null if it has lost none}
     */
    public @Nullable Instant lostCommits() {
        long since = filter.lostSince();
        return since == 0 ? null : Instant.ofEpochMilli(since);
    }

    /** Records that the database has lost operations that the filter remembers, unless that is known. */
    synchronized void noteLost() {
        if (filter.lostSince() == 0) {
            filter.noteLost(true);
            sayLost();
        }
    }

    private void sayLost() {
        log.atError()
                .addKeyValue("scope", scope)
                .log(
                        "The database of scope {} has forgotten commits: its rows are older than the files of this"
                                + " node. Applied operations are missing, and fbf cannot determine which. Either a lagging"
                                + " standby has taken over, or the database was restored to an earlier state, or it is"
                                + " another one. Retries of operations that the filter remembers are refused until you"
                                + " accept the loss.",
                        scope);
    }

    /** Forgets the lost operations after an operator has accepted their loss. */
    public synchronized void acceptLostCommits() {
        claims.gate.inside(() -> {
            filter.noteLost(false);
            return true;
        });
    }

    /** Returns the refusal for a held operation. Asks the filter first, because the holder may be a retry that is about to be refused. */
    private Refusal whyHeld(HeldClaim holder) {
        if (wasApplied(holder.id)) {
            return Refusal.APPLIED;
        }
        return holder.inDoubt != null ? Refusal.IN_DOUBT : Refusal.IN_PROGRESS;
    }

    private boolean wasApplied(OperationId id) {
        return claims.access(() -> filter.mightContain(id));
    }
}
