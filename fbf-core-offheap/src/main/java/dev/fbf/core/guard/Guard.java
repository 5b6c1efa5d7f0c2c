package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets each operation of a scope be applied once. Thread-safe. */
public final class Guard {

    /*
     * NEW -> CLAIMED -> APPLIED (in the filter, then freed) | NEW (freed) | IN_DOUBT (kept)
     *
     * Admission takes the claim first and asks the filter second. The other order lets a duplicate through: it finds
     * nothing in the filter, then the first request puts the operation there and frees its claim, then the duplicate
     * takes the claim. For the same reason the filter holds an applied operation before its claim is freed.
     *
     * The claims live in memory and are bounded: `room` counts the free places. A place is taken before the map is
     * asked, so that the map never grows past the bound.
     */
    private static final Logger log = LoggerFactory.getLogger(Guard.class);

    private final String scope;
    private final ForgetfulBloomFilter filter;
    private final Map<OperationId, HeldClaim> claims = new ConcurrentHashMap<>();
    private final AtomicInteger room;

    private volatile boolean stopped;

    /**
     * Guards a scope.
     *
     * @param scope the scope's name, for the log
     * @param filter what remembers the scope's operations
     * @param maxClaims how many operations may be applied at the same time, at least 1
     */
    public Guard(String scope, ForgetfulBloomFilter filter, int maxClaims) {
        if (maxClaims < 1) {
            throw new IllegalArgumentException("maxClaims=" + maxClaims + ": must be at least 1");
        }
        this.scope = scope;
        this.filter = filter;
        room = new AtomicInteger(maxClaims);
    }

    /**
     * Decides whether a request may apply its operation.
     *
     * @param id the operation
     * @return a {@link Claim}, which the caller must end; or a {@link Refusal}
     */
    public Admission admit(OperationId id) {
        if (stopped) {
            return Refusal.STOPPED;
        }
        if (!takePlace()) {
            return Refusal.NO_ROOM;
        }
        HeldClaim claim = new HeldClaim(this, id);
        HeldClaim holder = claims.putIfAbsent(id, claim);
        if (holder != null) {
            room.incrementAndGet();
            return whyHeld(holder);
        }
        boolean admitted = false;
        try {
            admitted = !filter.mightContain(id);
            return admitted ? claim : Refusal.APPLIED;
        } finally {
            if (!admitted) {
                claim.rolledBack();
            }
        }
    }

    /** Admits no operation any more. Claims that are held can still be ended. */
    public void stop() {
        stopped = true;
    }

    void remember(HeldClaim claim) {
        filter.put(claim.id());
        free(claim);
    }

    void free(HeldClaim claim) {
        claims.remove(claim.id(), claim);
        room.incrementAndGet();
    }

    void keepInDoubt(HeldClaim claim) {
        log.error(
                "Scope {}: nobody knows whether the COMMIT of operation {} took effect. Its retries are refused until"
                        + " this process ends; compare the counter with what it should be.",
                scope,
                claim.id());
    }

    /** The holder may be another retry of an applied operation, about to be refused itself: the filter knows. */
    private Refusal whyHeld(HeldClaim holder) {
        if (filter.mightContain(holder.id())) {
            return Refusal.APPLIED;
        }
        return holder.isInDoubt() ? Refusal.IN_DOUBT : Refusal.IN_PROGRESS;
    }

    private boolean takePlace() {
        for (int free = room.get(); free > 0; free = room.get()) {
            if (room.compareAndSet(free, free - 1)) {
                return true;
            }
        }
        return false;
    }
}
