package dev.fbf.core.claim;

import dev.fbf.core.OperationId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The claims of a process whose operations a database records: at most one per operation, up to a limit. Thread-safe. */
public final class Claims {

    /*
     * HELD -> APPLIED | FREE
     *
     * Claim first, then ask: a request takes the claim before it looks an operation up in the recent ones or in the database. Remember
     * first, then free: an applied operation is a recent one before its claim is free. In another order, a retry could look the operation
     * up before it is applied, and get the claim after that. Only the row in the database would stop it.
     */
    private final Map<OperationId, HeldClaim> held = new ConcurrentHashMap<>();
    private final int max;
    private final Semaphore room;
    private final Consumer<OperationId> remember;

    /**
     * Creates a registry without claims.
     *
     * @param max the maximum number of operations that are being applied, at least 1
     * @param remember remembers an applied operation before its claim is free
     */
    public Claims(int max, Consumer<OperationId> remember) {
        if (max < 1) {
            throw new IllegalArgumentException("maxClaims=" + max + ": must be at least 1");
        }
        this.max = max;
        this.remember = remember;
        room = new Semaphore(max);
    }

    /**
     * Claims an operation.
     *
     * @param scope the scope of the operation, for {@link #held(String)}
     * @param retryWindow the time after the operation in which its retries may arrive
     * @param fingerprint the fingerprint of its request; null if requests are not compared
     * @return a {@link Claim}, which the caller must end; {@link Refusal#IN_PROGRESS} if the operation is claimed; or else
     *     {@link Refusal#NO_ROOM} if the limit is reached
     */
    public Admission take(OperationId id, String scope, Duration retryWindow, @Nullable Long fingerprint) {
        HeldClaim claim = new HeldClaim(id, scope, retryWindow, fingerprint);
        HeldClaim holder = held.computeIfAbsent(id, free -> room.tryAcquire() ? claim : null);
        if (holder == claim) {
            return claim;
        }
        return holder == null ? Refusal.NO_ROOM : Refusal.IN_PROGRESS;
    }

    /** {@return whether an operation is being applied, or looked up by a request that may apply it} */
    public boolean holds(OperationId id) {
        return held.containsKey(id);
    }

    /** {@return the number of operations that are being applied, as of now} */
    public int held() {
        return max - room.availablePermits();
    }

    /** {@return the number of the scope's operations that are being applied, as of now} Looks at all claims. */
    public int held(String scope) {
        return (int) held.values().stream()
                .filter(claim -> claim.scope.equals(scope))
                .count();
    }

    private final class HeldClaim implements Claim {

        private final OperationId id;
        private final String scope;
        private final Duration retryWindow;
        private final @Nullable Long fingerprint;
        private final AtomicBoolean isHeld = new AtomicBoolean(true);

        HeldClaim(OperationId id, String scope, Duration retryWindow, @Nullable Long fingerprint) {
            this.id = id;
            this.scope = scope;
            this.retryWindow = retryWindow;
            this.fingerprint = fingerprint;
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
            return retryWindow;
        }

        @Override
        public boolean isHeld() {
            return isHeld.get();
        }

        @Override
        public void applied() {
            end();
            try {
                remember.accept(id); // before the claim is free: see above
            } finally {
                leave();
            }
        }

        @Override
        public void free() {
            end();
            leave();
        }

        private void end() {
            if (!isHeld.compareAndSet(true, false)) {
                throw new IllegalStateException("claim=" + id + ": has ended");
            }
        }

        /** Frees the operation before the room, so that there are never more claims than the limit. */
        private void leave() {
            held.remove(id);
            room.release();
        }
    }
}
