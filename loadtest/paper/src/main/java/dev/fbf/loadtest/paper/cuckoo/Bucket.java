package dev.fbf.loadtest.paper.cuckoo;

import java.util.Arrays;

/** A bucket of a few slots. A slot is empty, or has a fingerprint. */
final class Bucket {

    private static final long EMPTY = 0;

    private final int number;
    private long[] slots;

    Bucket(int number, int slots) {
        this.number = number;
        this.slots = new long[slots];
    }

    /** Its number among the buckets of its filter. */
    int number() {
        return number;
    }

    /** Stores a fingerprint in an empty slot; returns whether there was one. */
    boolean add(long fingerprint) {
        return replace(EMPTY, fingerprint);
    }

    /** Removes a fingerprint once; returns whether it was there. */
    boolean remove(long fingerprint) {
        return replace(fingerprint, EMPTY);
    }

    private boolean replace(long old, long next) {
        for (int slot = 0; slot < slots.length; slot++) {
            if (slots[slot] == old) {
                slots[slot] = next;
                return true;
            }
        }
        return false;
    }

    boolean contains(long fingerprint) {
        return count(fingerprint) > 0;
    }

    boolean isFullOf(long fingerprint) {
        return count(fingerprint) == slots.length;
    }

    int size() {
        return slots.length - count(EMPTY);
    }

    private int count(long entry) {
        int count = 0;
        for (long slot : slots) {
            count += slot == entry ? 1 : 0;
        }
        return count;
    }

    int slots() {
        return slots.length;
    }

    /** Stores a fingerprint in the place of another one, which is returned. */
    long swap(int slot, long fingerprint) {
        long old = slots[slot];
        slots[slot] = fingerprint;
        return old;
    }

    /** All fingerprints, each as often as it is stored. */
    long[] fingerprints() {
        return Arrays.stream(slots).filter(slot -> slot != EMPTY).toArray();
    }

    /** What {@link #restore} takes. */
    long[] save() {
        return slots.clone();
    }

    void restore(long[] saved) {
        slots = saved.clone();
    }
}
