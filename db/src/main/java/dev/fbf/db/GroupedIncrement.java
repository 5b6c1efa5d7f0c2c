package dev.fbf.db;

import dev.fbf.core.guard.Claim;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An operation that adds to one counter, from its caller's wish to its outcome. */
final class GroupedIncrement {

    /** QUEUED -> TAKEN, or QUEUED -> ABANDONED. */
    private enum State {
        QUEUED,
        TAKEN,
        ABANDONED
    }

    private final Claim claim;
    private final @Nullable Long fingerprint;
    private final String counter;
    private final long delta;
    private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
    private final long queuedAt = System.nanoTime();
    private final CountDownLatch done = new CountDownLatch(1);

    private volatile @Nullable GroupOutcome outcome;

    GroupedIncrement(Claim claim, @Nullable Long fingerprint, String counter, long delta) {
        this.claim = claim;
        this.fingerprint = fingerprint;
        this.counter = counter;
        this.delta = delta;
    }

    Claim claim() {
        return claim;
    }

    @Nullable Long fingerprint() {
        return fingerprint;
    }

    String counter() {
        return counter;
    }

    long delta() {
        return delta;
    }

    /** By {@link System#nanoTime()}. */
    long queuedAt() {
        return queuedAt;
    }

    /** Makes it part of a group, unless its caller has given up. */
    boolean take() {
        return state.compareAndSet(State.QUEUED, State.TAKEN);
    }

    void done(GroupOutcome result) {
        outcome = result;
        done.countDown();
    }

    /** Surely nothing was done for it, unless its outcome is known already. */
    void failed(Exception reason) {
        if (outcome == null) {
            claim.rolledBack();
            done(new GroupOutcome.Failed(reason));
        }
    }

    /** For its caller. */
    GroupOutcome await(Duration patience) {
        try {
            done.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        GroupOutcome known = outcome;
        if (known != null) {
            return known;
        }
        if (state.compareAndSet(State.QUEUED, State.ABANDONED)) {
            claim.rolledBack();
            return GroupOutcome.NotApplied.NO_TURN;
        }
        return GroupOutcome.Unknown.YET;
    }
}
