package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Registry of operations in progress in this process. Thread-safe. */
final class LaneClaims {

    private final RememberedOperations remembered;
    private final Duration window;
    private final int most;
    private final Semaphore room;
    private final Map<OperationId, LaneClaim> held = new ConcurrentHashMap<>();

    LaneClaims(RememberedOperations remembered, Duration window, int most) {
        this.remembered = remembered;
        this.window = window;
        this.most = most;
        room = new Semaphore(most);
    }

    /**
     * Admits an operation: takes the claim before it checks the filter, because an applied operation is in the filter before its claim
     * is freed.
     */
    Admission admit(OperationId id) {
        if (!room.tryAcquire()) {
            return Refusal.NO_ROOM;
        }
        LaneClaim claim = new LaneClaim(id);
        boolean isOther = held.putIfAbsent(id, claim) != null;
        if (isOther) {
            room.release();
            return remembered.contains(id) ? Refusal.APPLIED : Refusal.IN_PROGRESS;
        }
        if (remembered.contains(id)) {
            claim.free();
            return Refusal.APPLIED;
        }
        return claim;
    }

    int count() {
        return most - room.availablePermits();
    }

    /** HELD -> ended, once. */
    private final class LaneClaim implements Claim {

        private final OperationId id;
        private final AtomicBoolean isHeld = new AtomicBoolean(true);

        LaneClaim(OperationId id) {
            this.id = id;
        }

        @Override
        public OperationId id() {
            return id;
        }

        @Override
        public Duration retryWindow() {
            return window;
        }

        @Override
        public boolean isHeld() {
            return isHeld.get();
        }

        /** Frees the claim. The lane has already put the operation into the filter, together with its group. */
        @Override
        public void applied() {
            free();
        }

        @Override
        public void free() {
            if (!isHeld.compareAndSet(true, false)) {
                throw new IllegalStateException("id=" + id + ": its claim has ended");
            }
            held.remove(id, this);
            room.release();
        }
    }
}
