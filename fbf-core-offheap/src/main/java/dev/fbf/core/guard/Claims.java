package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.guard.ClaimRecords.Entry;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The claims of a node: who has one, and where it is written down. Thread-safe and lock-free. */
final class Claims {

    /*
     * FREE -> HELD (a place, and an entry of the index) -> FREE
     *              -> WRITTEN (and a record in the file, once it is part of a transaction) -> FREE
     *
     * Freeing goes the way back: the record, then the entry, then the place. The next claim in the place finds its
     * record free; the next claim of the operation finds in the filter what this one has put there. A place that was given
     * back is taken after all others: the row of a slot that has rested is older than the snapshot of nearly every transaction that
     * may want to update it.
     *
     * Only threads inside the gate write records: the holder of a claim, from its admission until it has ended or its
     * transaction is in doubt; and a thread that settles a transaction in doubt. The directory's lock is released when the gate
     * closes.
     */
    private final ClaimRecords records;
    private final int max;
    private final Map<OperationId, HeldClaim> index = new ConcurrentHashMap<>();

    /** Those below the maximum. After a restart with fewer claims a record beyond it may be taken, and is never given out again. */
    private final Queue<Integer> freePlaces = new ConcurrentLinkedQueue<>();

    private final AtomicInteger held;
    private final Gate gate = new Gate();
    private final Map<Integer, Guard> guards = new ConcurrentHashMap<>();
    private final Map<Integer, AtomicInteger> leftBehind = new ConcurrentHashMap<>();

    /** By place: those of the process before this one in databases that were not opened yet. */
    private final Map<Integer, HeldClaim> kept = new ConcurrentHashMap<>();

    /**
     * Makes the claims of a node.
     *
     * @param max how many there can be
     * @param left those of the process before this one. Everybody is kept from their operations, their places and their slots: their
     *     databases may be opened late or never
     */
    Claims(ClaimRecords records, int max, List<Entry> left) {
        this.records = records;
        this.max = max;
        Set<Integer> taken = new HashSet<>();
        for (Entry entry : left) {
            HeldClaim claim = new HeldClaim(this, entry.scope(), entry.id(), entry.number());
            claim.leftBehind();
            index.put(entry.id(), claim);
            kept.put(entry.number(), claim);
            taken.add(entry.number());
            taken.add(entry.slot()); // its own place, that of another claim, or that of one taken back
        }
        held = new AtomicInteger(taken.size());
        IntStream.range(0, max).filter(place -> !taken.contains(place)).forEach(freePlaces::add);
    }

    /** Makes a scope's guard known: the one that remembers for the claims of its scope. */
    void add(Guard guard) {
        Guard other = guards.putIfAbsent(guard.number(), guard);
        if (other != null) {
            throw new IllegalArgumentException("scope=" + guard.scope() + ": is told from " + other.scope()
                    + " by a number made of its name, and they have the same; rename one of them");
        }
    }

    /** Whether some guard remembers for the claims of this scope. */
    boolean knows(int scope) {
        return guards.containsKey(scope);
    }

    Gate gate() {
        return gate;
    }

    /** Takes a place for a claim, inside the gate; null if there is none, or the gate is closed. */
    @Nullable HeldClaim take(Guard guard, OperationId id) {
        if (!gate.enter()) {
            return null;
        }
        Integer place = freePlaces.poll();
        if (place == null) {
            gate.leave(1);
            return null;
        }
        held.incrementAndGet();
        return new HeldClaim(this, guard.number(), id, place);
    }

    /** Makes a claim that was taken the one of its operation, unless another is: then that one is returned. */
    @Nullable HeldClaim enter(HeldClaim claim) {
        HeldClaim holder = index.putIfAbsent(claim.id(), claim);
        if (holder != null) {
            give(claim.place());
            gate.leave(1);
        }
        return holder;
    }

    /** Finds the claim of an operation. */
    @Nullable HeldClaim find(OperationId id) {
        return index.get(id);
    }

    /** Gives a claim that was kept to its transaction. */
    HeldClaim recover(Entry entry) {
        return Objects.requireNonNull(kept.remove(entry.number()));
    }

    /** Counts, for a scope, the transactions left behind that nobody has asked the witness about yet. */
    AtomicInteger leftBehind(int scope) {
        return leftBehind.computeIfAbsent(scope, number -> new AtomicInteger());
    }

    void write(HeldClaim claim, int database, int slot, long previous, long next) {
        records.write(entry(claim, database, slot, previous, next, System.currentTimeMillis()));
        claim.written();
    }

    Entry logged(HeldClaim claim, int database, int slot, long previous, long next) {
        return entry(claim, database, slot, previous, next, filter(claim).millis());
    }

    private static Entry entry(HeldClaim claim, int database, int slot, long previous, long next, long millis) {
        return new Entry(
                claim.place(), claim.id(), claim.scope(), database, slot, previous, next, millis, claim.request());
    }

    /** The operation is not applied after all: who comes after this process must not think it was. */
    void undo(HeldClaim claim) {
        claim.undo();
        records.free(claim.place());
    }

    /** The operation is not part of its transaction any more: who comes after this process must not ask about that. */
    void withdraw(HeldClaim claim) {
        records.free(claim.place());
        claim.withdraw();
    }

    /** Has the scope's filter remember the operation, and its request for no shorter. */
    void remember(HeldClaim claim) {
        ForgetfulBloomFilter filter = filter(claim);
        filter.put(claim.id());
        OperationId request = claim.request();
        if (request != null) {
            filter.putRequest(request);
        } else if (claim.isLeftBehind()) {
            filter.putUnknownRequest(claim.id());
        }
    }

    void free(HeldClaim claim) {
        release(claim);
        give(claim.place());
    }

    /** Frees the operation and the record, but not the place. */
    void release(HeldClaim claim) {
        if (claim.isWritten()) {
            records.free(claim.place());
        }
        index.remove(claim.id(), claim);
    }

    void give(int place) {
        held.decrementAndGet();
        if (place < max) {
            freePlaces.add(place);
        }
    }

    int held() {
        return held.get();
    }

    /** How many operations of a scope are claimed. */
    int held(int scope) {
        return count(claim -> claim.scope() == scope);
    }

    /** How many operations of a scope are in doubt. */
    int inDoubt(int scope) {
        return count(claim -> claim.scope() == scope && claim.inDoubt() != null);
    }

    private int count(Predicate<HeldClaim> kind) {
        return (int) index.values().stream().filter(kind).count();
    }

    ForgetfulBloomFilter filter(HeldClaim claim) {
        Guard guard = guards.get(claim.scope());
        if (guard == null) {
            throw new IllegalStateException("claim=" + claim.id() + ": no guard of its scope was opened");
        }
        return guard.filter();
    }
}
