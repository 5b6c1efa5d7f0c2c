package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import java.util.concurrent.atomic.AtomicReference;

/** A claim that a {@link Guard} gave. */
final class HeldClaim implements Claim {

    /** CLAIMED -> APPLIED | NEW | IN_DOUBT. */
    enum State {
        CLAIMED,
        APPLIED,
        NEW,
        IN_DOUBT
    }

    private final Guard guard;
    private final OperationId id;
    private final AtomicReference<State> state = new AtomicReference<>(State.CLAIMED);

    HeldClaim(Guard guard, OperationId id) {
        this.guard = guard;
        this.id = id;
    }

    @Override
    public OperationId id() {
        return id;
    }

    @Override
    public void applied() {
        end(State.APPLIED);
        guard.remember(this);
    }

    @Override
    public void rolledBack() {
        end(State.NEW);
        guard.free(this);
    }

    @Override
    public void inDoubt() {
        end(State.IN_DOUBT);
        guard.keepInDoubt(this);
    }

    boolean isInDoubt() {
        return state.get() == State.IN_DOUBT;
    }

    private void end(State end) {
        if (!state.compareAndSet(State.CLAIMED, end)) {
            throw new IllegalStateException("claim=" + id + ": cannot become " + end + ", it is " + state.get());
        }
    }
}
