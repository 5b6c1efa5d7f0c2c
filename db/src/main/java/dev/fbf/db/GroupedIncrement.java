package dev.fbf.db;

import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.Counters.Outcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An operation that adds to one counter, from its caller's wish to its outcome. */
final class GroupedIncrement {

    /** QUEUED -> TAKEN, TAKEN -> QUEUED, QUEUED -> ABANDONED, TAKEN -> LEFT. */
    private enum State {
        QUEUED,
        TAKEN,
        /** Its caller has given up before its turn. */
        ABANDONED,
        /** Its caller has given up during its turn. */
        LEFT
    }

    /** How long a caller who gives up waits for a turn to end that has begun. */
    private static final long TURN_MILLIS = 250;

    private final Claim claim;
    private final @Nullable Long fingerprint;
    private final String counter;
    private final long delta;
    private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
    private final long queuedAt = System.nanoTime();
    private final CountDownLatch done = new CountDownLatch(1);

    private volatile @Nullable Outcome outcome;

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

    /** Nothing was done for it, and its turn will come again; returns false if its caller has given up: then it is over. */
    boolean putBack() {
        if (state.compareAndSet(State.TAKEN, State.QUEUED)) {
            return true;
        }
        refused(Refusal.NO_TURN);
        return false;
    }

    void done(Outcome result) {
        outcome = result;
        done.countDown();
    }

    /**
     * Tells those that were applied the value that each has made, as if they had come one after another.
     *
     * @param values of the counters after all
     */
    static void tell(List<GroupedIncrement> applied, Map<String, Long> values) {
        Map<String, Long> after = new HashMap<>(values);
        for (int i = applied.size() - 1; i >= 0; i--) {
            GroupedIncrement increment = applied.get(i);
            long value = Objects.requireNonNull(after.get(increment.counter));
            after.put(increment.counter, value - increment.delta);
            increment.done(new Outcome.Applied(value));
        }
    }

    /** Nothing was done for it, as long as its claim is held; unless its outcome is known already. */
    void failed(Throwable reason) {
        if (outcome != null) {
            return;
        }
        if (claim.isHeld()) {
            claim.rolledBack();
            done(new Outcome.Failed(reason));
        } else {
            done(new Outcome.Unknown(reason, null));
        }
    }

    /** Nothing was done for it, and it is new again. */
    void refused(Refusal why) {
        claim.rolledBack();
        done(new Outcome.Refused(why));
    }

    /** It may have been applied, and a ledger will tell; unless its outcome is known already. */
    void doubted(Throwable reason) {
        if (outcome != null) {
            return;
        }
        if (claim.isHeld()) {
            claim.rolledBack();
        }
        done(new Outcome.Unknown(reason, null));
    }

    /** For its caller. */
    Outcome await(Duration timeout) {
        try {
            done.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        while (true) {
            Outcome known = outcome;
            if (known != null) {
                return known;
            }
            if (state.compareAndSet(State.QUEUED, State.ABANDONED)) {
                claim.rolledBack();
                return new Outcome.Refused(Refusal.NO_TURN);
            }
            if (state.compareAndSet(State.TAKEN, State.LEFT)) {
                return awaitTurn();
            }
        }
    }

    /** Most turns end at once, and then it is known what became of it. */
    private Outcome awaitTurn() {
        try {
            done.await(TURN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Outcome known = outcome;
        return known == null ? Outcome.Unknown.YET : known;
    }
}
