package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A claim that a {@link Guard} gave, or that the process before this one left behind. */
final class HeldClaim implements Claim {

    /** HELD -> ENDED; HELD -> HANDED_OVER -> HELD, UNDONE or ENDED by its transaction. */
    private enum State {
        HELD,
        HANDED_OVER,
        UNDONE,
        ENDED
    }

    private final Claims claims;
    private final int scope;
    private final OperationId id;
    private final int place;
    private final AtomicReference<State> state = new AtomicReference<>(State.HELD);

    private volatile boolean written;
    private volatile boolean leftBehind;
    private volatile @Nullable OperationId request;
    private volatile @Nullable WitnessedTransaction inDoubt;

    HeldClaim(Claims claims, int scope, OperationId id, int place) {
        this.claims = claims;
        this.scope = scope;
        this.id = id;
        this.place = place;
    }

    @Override
    public OperationId id() {
        return id;
    }

    @Override
    public Duration retryWindow() {
        return claims.filter(this).plan().stated().retryWindow();
    }

    @Override
    public void requestedBy(OperationId request) {
        this.request = request;
        claims.filter(this).putRequest(request);
    }

    /** What asks for the operation; null if nobody has told. */
    @Nullable OperationId request() {
        return request;
    }

    /** The process before this one left it behind in a transaction: what asked for the operation is not in the file. */
    void leftBehind() {
        handOver();
        written = true;
        leftBehind = true;
    }

    boolean isLeftBehind() {
        return leftBehind;
    }

    @Override
    public boolean isHeld() {
        return state.get() == State.HELD;
    }

    @Override
    public void applied() {
        change(State.HELD, State.ENDED);
        claims.remember(this);
        claims.free(this);
        claims.gate().leave(1);
    }

    @Override
    public void rolledBack() {
        change(State.HELD, State.ENDED);
        claims.free(this);
        claims.gate().leave(1);
    }

    int scope() {
        return scope;
    }

    /** The number of its record, and of the slot of a transaction that begins with it. */
    int place() {
        return place;
    }

    void handOver() {
        change(State.HELD, State.HANDED_OVER);
    }

    /** Its transaction has done nothing, and its record was freed. */
    void withdraw() {
        written = false;
        change(State.HANDED_OVER, State.HELD);
    }

    /** What its transaction did for it was undone, and the transaction goes on. */
    void undo() {
        change(State.HANDED_OVER, State.UNDONE);
    }

    boolean isUndone() {
        return state.get() == State.UNDONE;
    }

    /** Its record was written. */
    void written() {
        written = true;
    }

    boolean isWritten() {
        return written;
    }

    /** Nobody knows whether its transaction committed. */
    void doubt(WitnessedTransaction transaction) {
        inDoubt = transaction;
    }

    /** The transaction that is in doubt; null if none is. */
    @Nullable WitnessedTransaction inDoubt() {
        return inDoubt;
    }

    private void change(State from, State to) {
        if (!state.compareAndSet(from, to)) {
            throw new IllegalStateException("claim=" + id + ": is " + state.get() + ", not " + from);
        }
    }
}
