package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Claim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claim that a {@link ScopeClaims} admitted or that the previous process left behind. */
final class HeldClaim implements Claim {

    /** HELD -> ENDED; HELD -> HANDED_OVER -> HELD, or freed by its transaction. */
    private enum State {
        HELD,
        HANDED_OVER,
        ENDED
    }

    private static final Logger log = LoggerFactory.getLogger(HeldClaim.class);

    private final RecordedClaims claims;

    final long scope;
    final OperationId id;

    private final @Nullable Long fingerprint;

    /** The index of the claim's record, and the slot of a transaction that begins with the claim. */
    final int recordIndex;

    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

    /** True if the claim's record is in the file. */
    volatile boolean written;

    /** True if the previous process left the claim in a transaction: the file does not store its request. */
    volatile boolean leftBehind;

    /** The transaction in doubt that has the claim; null if there is none. */
    volatile @Nullable WitnessedTransaction inDoubt;

    HeldClaim(RecordedClaims claims, long scope, OperationId id, @Nullable Long fingerprint, int recordIndex) {
        this.claims = claims;
        this.scope = scope;
        this.id = id;
        this.fingerprint = fingerprint;
        this.recordIndex = recordIndex;
    }

    @Override
    public OperationId id() {
        return id;
    }

    @Override
    public @Nullable Long fingerprint() {
        return fingerprint;
    }

    @Override
    public Duration retryWindow() {
        return claims.scope(this).retryWindow;
    }

    void leftBehind() {
        handOver();
        written = true;
        leftBehind = true;
    }

    @Override
    public boolean isHeld() {
        return state.get() == State.HELD;
    }

    @Override
    public void applied() {
        change(State.HELD, State.ENDED);
        try {
            claims.remember(List.of(this));
            claims.free(this);
        } catch (StorageException e) {
            log.debug("The operation stays claimed, because no operation is admitted until the next start.", e);
        } finally {
            claims.gate.leave(1);
        }
    }

    @Override
    public void free() {
        change(State.HELD, State.ENDED);
        claims.free(this);
        claims.gate.leave(1);
    }

    void handOver() {
        change(State.HELD, State.HANDED_OVER);
    }

    /** Takes the claim back from a transaction that had no effect: it is held again. Its record must be free already. */
    void withdraw() {
        written = false;
        change(State.HANDED_OVER, State.HELD);
    }

    private void change(State from, State to) {
        if (!state.compareAndSet(from, to)) {
            throw new IllegalStateException("claim=" + id + ": is " + state.get() + ", not " + from);
        }
    }
}
