package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.PackedNumbers;

/** Buckets of slots, packed bit by bit. A slot is empty, or has an entry: a fingerprint. */
final class Buckets {

    /** The widest entry. */
    static final int MAX_BITS = 62;

    static final int NONE = -1;

    private final int slots;
    private PackedNumbers packed;
    private int buckets;
    private int entries;

    Buckets(int buckets, int slots, int fingerprintBits) {
        this.slots = slots;
        this.buckets = buckets;
        packed = new PackedNumbers((long) buckets * slots, fingerprintBits);
    }

    /** Adds an empty bucket; returns its number. */
    int grow() {
        buckets++;
        packed.grow((long) buckets * slots);
        return buckets - 1;
    }

    int count() {
        return buckets;
    }

    int slots() {
        return slots;
    }

    /** How many slots of all buckets have an entry. */
    int entries() {
        return entries;
    }

    int entriesIn(int bucket) {
        int count = 0;
        for (int slot = 0; slot < slots; slot++) {
            count += get(bucket, slot) == 0 ? 0 : 1;
        }
        return count;
    }

    /** The entry of a slot; 0 if it is empty. */
    long get(int bucket, int slot) {
        return packed.get((long) bucket * slots + slot);
    }

    /** Returns a slot of the bucket with this fingerprint, or {@link #NONE}. */
    int find(int bucket, long fingerprint) {
        for (int slot = 0; slot < slots; slot++) {
            if (get(bucket, slot) == fingerprint) {
                return slot;
            }
        }
        return NONE;
    }

    /** Stores an entry in an empty slot of the bucket; returns whether there was one. */
    boolean add(int bucket, long entry) {
        for (int slot = 0; slot < slots; slot++) {
            if (get(bucket, slot) == 0) {
                set(bucket, slot, entry);
                return true;
            }
        }
        return false;
    }

    /** Stores an entry in the place of another one, which is returned. */
    long swap(int bucket, int slot, long entry) {
        long old = get(bucket, slot);
        set(bucket, slot, entry);
        return old;
    }

    void clear(int bucket, int slot) {
        set(bucket, slot, 0);
    }

    private void set(int bucket, int slot, long entry) {
        entries += (entry == 0 ? 0 : 1) - (get(bucket, slot) == 0 ? 0 : 1);
        packed.set((long) bucket * slots + slot, entry);
    }

    /** What {@link #restore} takes: all entries as they are now. */
    record Saved(PackedNumbers packed, int entries) {}

    Saved save() {
        return new Saved(packed.copy(), entries);
    }

    /** Takes back all changes since; no bucket was added meanwhile. */
    void restore(Saved saved) {
        packed = saved.packed;
        entries = saved.entries;
    }
}
