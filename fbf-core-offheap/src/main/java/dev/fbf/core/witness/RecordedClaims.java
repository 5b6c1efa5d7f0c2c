package dev.fbf.core.witness;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.memory.MappedFault;
import dev.fbf.core.witness.ClaimRecords.Entry;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Duration;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The claims of a node and their records. Thread-safe. */
final class RecordedClaims {

    /*
     * FREE -> HELD (a record index, and an entry of the index by operation) -> FREE
     *              -> WRITTEN (and a record in the file, once it is part of a transaction) -> FREE | HELD, if withdrawn
     *
     * A claim has a record index: the index of its record in the claims file. A transaction has a slot: the number of
     * its row in the witness, which is the record index of its first claim. So open transactions never share a slot.
     *
     * Freeing goes the reverse way: the record, the entry, the record index. The next claim with this record index finds
     * the record free; the next claim of the operation finds the operation in the filter. A freed record index is reused after all others,
     * so that the row of its slot is older than the snapshot of nearly every transaction that updates it.
     *
     * Only threads inside the gate write records. A claim is inside from its admission until it has ended or its
     * transaction is in doubt. The directory's lock is released when the gate closes.
     */
    private static final Logger log = LoggerFactory.getLogger(RecordedClaims.class);

    private final ClaimRecords records;
    private final int max;
    private final Map<OperationId, HeldClaim> index = new ConcurrentHashMap<>();

    /**
     * Free record indexes, below the maximum. After a restart with a lower maximum, a claim left behind may be beyond it: this process does
     * not reuse its record index.
     */
    private final Queue<Integer> freeRecords = new ConcurrentLinkedQueue<>();

    private final AtomicInteger held;
    final Gate gate = new Gate();
    private final Runnable requireInPlace;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, ScopeClaims> scopes = new ConcurrentHashMap<>();
    private final Map<Long, AtomicInteger> leftBehind = new ConcurrentHashMap<>();

    /** The first error of a file; null if there is none. */
    private volatile @Nullable StorageException failure;

    private volatile boolean stopped;

    /** Whether a row has shown that a file is older: then the slots' tokens here may be older than the rows', too. */
    volatile boolean behind;

    /**
     * @param max the maximum number of claims
     * @param left the claims of the previous process. Their operations, record indexes and slots stay taken: their databases may be opened
     *     late or never
     * @param requireInPlace throws an {@link InternalError} if the directory is no longer locked
     */
    RecordedClaims(ClaimRecords records, int max, List<Entry> left, Runnable requireInPlace) {
        this.records = records;
        this.requireInPlace = requireInPlace;
        this.max = max;
        Set<Integer> taken = new HashSet<>();
        for (Entry entry : left) {
            HeldClaim claim = new HeldClaim(this, entry.scope(), entry.id(), null, entry.recordIndex());
            claim.leftBehind();
            index.put(entry.id(), claim);
            taken.add(entry.recordIndex());
            // the slot is the record index of the transaction's first claim, whose record may have been freed
            taken.add(entry.slot());
        }
        held = new AtomicInteger(taken.size());
        IntStream.range(0, max).filter(index -> !taken.contains(index)).forEach(freeRecords::add);
    }

    void add(ScopeClaims scope) {
        scopes.put(scope.hash, scope);
    }

    /**
     * Stops admission for good, because a file has failed. The next process settles the transactions whose records are left.
     *
     * @return the exception for the caller that met the error
     */
    StorageException fail(Throwable fault) {
        StorageException failed = new StorageException(
                "A file of fbf failed, " + records + " or one beside it: " + fault + ".",
                "Check the disk and its free space, restore moved files, and restart the application: until then no"
                        + " operation is applied.",
                fault);
        boolean isFirst;
        synchronized (this) {
            isFirst = failure == null;
            if (isFirst) {
                failure = failed;
            }
        }
        if (isFirst) {
            log.error("No operation is admitted until the next start. {}", failed.getMessage());
            log.debug("The failure of the file:", fault);
        }
        return failed;
    }

    @Nullable StorageException failure() {
        return failure;
    }

    /** Stops admission. Claims that are held can still end. */
    void stop() {
        stopped = true;
    }

    /** Returns the refusal of each request since admission was stopped; null until then. */
    @Nullable Refusal refusal() {
        if (failure != null) {
            return Refusal.FAILED;
        }
        return stopped ? Refusal.STOPPED : null;
    }

    void requireSound() {
        StorageException known = failure;
        if (known != null) {
            throw new StorageException(known.description(), known.action(), known);
        }
    }

    /**
     * Runs an access to the files that can be repeated, and stops all claims if it fails. It is repeated after an error that names no
     * file here: the JVM reports a fault of any mapped file late, perhaps in this access.
     *
     * @throws StorageException if the access has failed
     */
    <T> T access(Supplier<T> access) {
        try {
            return access.get();
        } catch (MappedFault | UncheckedIOException e) {
            throw fail(e);
        } catch (InternalError e) {
            log.debug("An error of another file arrived here.", e);
            try {
                return access.get();
            } catch (InternalError | UncheckedIOException again) {
                throw fail(again);
            }
        }
    }

    /** Runs an access inside the gate. */
    <T> T inside(Supplier<T> access) {
        return gate.inside(() -> access(access));
    }

    private void run(Runnable access) {
        access(() -> {
            access.run();
            return true;
        });
    }

    /**
     * Checks that the files are in place, and draws a beat for a scope, which is on the disk then.
     *
     * @param above a number that it must exceed
     */
    synchronized long draw(long above) {
        return access(() -> {
            requireInPlace.run();
            records.requireInPlace();
            long beat = Beat.above(above, random);
            records.setLastBeat(Math.max(records.lastBeat(), beat)); // on the disk: fails if that has failed
            return beat;
        });
    }

    /** Returns whether a row of this node shows that the file of the claims is an older one. */
    boolean areOlder(long row) {
        return Beat.number(row) > Beat.number(records.lastBeat());
    }

    /** Holds back all scopes, including those opened later: records may be missing. */
    void noteOlder() {
        run(() -> records.setBehindAt(System.currentTimeMillis()));
        scopes.values().forEach(ScopeClaims::noteLacking);
    }

    /** Returns whether the file of the claims was found to be older within the given time before now. */
    boolean wereOlderWithin(Duration time) {
        long at = records.behindAt();
        return at != 0 && System.currentTimeMillis() - at < time.toMillis(); // also true if the clock was set back
    }

    boolean knows(long scope) {
        return scopes.containsKey(scope);
    }

    /** Takes a record index for a claim and enters the gate; returns null if none is free or the gate is closed. */
    @Nullable HeldClaim take(ScopeClaims scope, OperationId id, @Nullable Long fingerprint) {
        if (!gate.enter()) {
            return null;
        }
        Integer recordIndex = freeRecords.poll();
        if (recordIndex == null) {
            gate.leave(1);
            return null;
        }
        held.incrementAndGet();
        return new HeldClaim(this, scope.hash, id, fingerprint, recordIndex);
    }

    /**
     * Enters a taken claim in the index, and returns null. If its operation has another claim, frees the taken one and returns the other.
     */
    @Nullable HeldClaim enter(HeldClaim claim) {
        HeldClaim holder = index.putIfAbsent(claim.id, claim);
        if (holder != null) {
            giveBack(claim.recordIndex);
            gate.leave(1);
        }
        return holder;
    }

    @Nullable HeldClaim find(OperationId id) {
        return index.get(id);
    }

    HeldClaim recover(Entry entry) {
        return Objects.requireNonNull(index.get(entry.id()));
    }

    /** Returns the count of a scope's transactions left behind that are neither settled nor known to require an operator's decision. */
    AtomicInteger leftBehind(long scope) {
        return leftBehind.computeIfAbsent(scope, number -> new AtomicInteger());
    }

    /** @throws StorageException if the record could not be written: it is free then */
    void write(HeldClaim claim, Entry entry) {
        run(() -> records.write(entry));
        claim.written = true;
    }

    /**
     * Frees the record of a claim that left its transaction, so that the next process does not settle it with that transaction.
     *
     * @throws StorageException if the record could not be freed
     */
    void withdraw(HeldClaim claim) {
        run(() -> records.free(claim.recordIndex));
        claim.withdraw();
    }

    /**
     * Puts operations in the filters of their scopes, and their requests before them, so that no retry is taken for another request, and
     * after them, so that they are remembered at least as long.
     *
     * @throws StorageException if a filter may lack one
     */
    void remember(List<HeldClaim> claims) {
        run(() -> {
            claims.forEach(this::putRequest);
            claims.forEach(claim -> scope(claim).filter.put(claim.id));
            claims.forEach(this::putRequest);
        });
    }

    private void putRequest(HeldClaim claim) {
        if (claim.fingerprint() != null || claim.leftBehind) {
            scope(claim).filter.putRequest(claim.id, claim.fingerprint());
        }
    }

    /** @throws StorageException if the record could not be freed; then the operation and the record index stay taken */
    void free(HeldClaim claim) {
        release(claim);
        giveBack(claim.recordIndex);
    }

    /**
     * Frees the operation and the record, but not the record index.
     *
     * @throws StorageException if the record could not be freed; then the operation stays taken
     */
    void release(HeldClaim claim) {
        if (claim.written) {
            run(() -> records.free(claim.recordIndex));
        }
        index.remove(claim.id, claim);
    }

    void giveBack(int recordIndex) {
        held.decrementAndGet();
        if (recordIndex < max) {
            freeRecords.add(recordIndex);
        }
    }

    int held() {
        return held.get();
    }

    int held(long scope) {
        return count(claim -> claim.scope == scope);
    }

    /** Returns the number of operations that are being applied, without those in doubt. */
    int applying() {
        return count(claim -> claim.inDoubt == null && !claim.leftBehind);
    }

    private int count(Predicate<HeldClaim> kind) {
        return (int) index.values().stream().filter(kind).count();
    }

    ScopeClaims scope(HeldClaim claim) {
        ScopeClaims scope = scopes.get(claim.scope);
        if (scope == null) {
            throw new IllegalStateException("claim=" + claim.id + ": its scope was not opened");
        }
        return scope;
    }
}
