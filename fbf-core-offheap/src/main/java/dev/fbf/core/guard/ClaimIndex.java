package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the claim of an operation, of which there is one at most. Thread-safe and lock-free. */
final class ClaimIndex {

    /*
     * A hash table of immutable lists. Adding puts a longer list in place of the one that was searched, removing a
     * shorter one: each by one compare-and-set, which fails if anything has changed meanwhile. Of two threads that add
     * the same operation, the second therefore finds the claim of the first.
     */
    private record Entry(HeldClaim claim, @Nullable Entry rest) {}

    private final AtomicReferenceArray<@Nullable Entry> heads;

    /** Makes room for some claims; more of them only make it slower. */
    ClaimIndex(int claims) {
        heads = new AtomicReferenceArray<>(Integer.highestOneBit(Math.max(2, claims)) * 4);
    }

    /** Adds a claim, unless its operation has one: that one is returned. */
    @Nullable HeldClaim putIfAbsent(HeldClaim claim) {
        int bucket = bucket(claim.id());
        for (; ; ) {
            Entry head = heads.get(bucket);
            HeldClaim holder = find(head, claim.id());
            if (holder != null) {
                return holder;
            }
            if (heads.compareAndSet(bucket, head, new Entry(claim, head))) {
                return null;
            }
        }
    }

    /** The claim of an operation; null if it has none. */
    @Nullable HeldClaim get(OperationId id) {
        return find(heads.get(bucket(id)), id);
    }

    /** How many claims there are of a kind, as they come and go. */
    int count(Predicate<HeldClaim> kind) {
        int count = 0;
        for (int bucket = 0; bucket < heads.length(); bucket++) {
            for (Entry entry = heads.get(bucket); entry != null; entry = entry.rest) {
                if (kind.test(entry.claim)) {
                    count++;
                }
            }
        }
        return count;
    }

    void remove(HeldClaim claim) {
        int bucket = bucket(claim.id());
        for (; ; ) {
            Entry head = heads.get(bucket);
            if (heads.compareAndSet(bucket, head, without(head, claim))) {
                return;
            }
        }
    }

    private static @Nullable HeldClaim find(@Nullable Entry head, OperationId id) {
        for (Entry entry = head; entry != null; entry = entry.rest) {
            if (entry.claim.id().equals(id)) {
                return entry.claim;
            }
        }
        return null;
    }

    private static @Nullable Entry without(@Nullable Entry head, HeldClaim claim) {
        if (head == null || head.claim == claim) {
            return head == null ? null : head.rest;
        }
        return new Entry(head.claim, without(head.rest, claim));
    }

    /** The id is a digest: any of its bits will do. */
    private int bucket(OperationId id) {
        return (int) (id.low() & heads.length() - 1);
    }
}
