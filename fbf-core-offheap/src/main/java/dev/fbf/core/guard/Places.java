package dev.fbf.core.guard;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** Gives out the numbers from 0 up, each to one holder at a time. Thread-safe and lock-free. */
final class Places {

    /*
     * A bit for each place, set while it is taken. The search begins at another place each time: neighbours in time do
     * not meet in a word, and a place rests before it is taken again. (The row of a slot that has rested is older than
     * the snapshot of nearly every transaction that may want to update it.)
     */
    private final AtomicLongArray taken;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger free;
    private final AtomicInteger takenBeyond = new AtomicInteger();
    private final int size;

    /**
     * Makes places that are all free.
     *
     * @param size how many there are to give out
     * @param capacity how many there are with those beyond the end, which are only taken by their number
     */
    Places(int size, int capacity) {
        this.size = size;
        taken = new AtomicLongArray((Math.max(size, capacity) + Long.SIZE - 1) / Long.SIZE);
        free = new AtomicInteger(size);
    }

    /** Takes a place; -1 if none is free. */
    int take() {
        if (!reserve()) {
            return -1;
        }
        for (int place = Math.floorMod(next.getAndIncrement(), size); ; place = (place + 1) % size) {
            // a place is free for whoever has reserved one: the search ends
            if (tryTake(place)) {
                return place;
            }
        }
    }

    /** Takes a certain place, and tells whether it was free. One beyond the end is never given out. */
    boolean take(int place) {
        if (place >= size) {
            boolean taken = tryTake(place);
            takenBeyond.addAndGet(taken ? 1 : 0);
            return taken;
        }
        if (!reserve()) {
            return false;
        }
        boolean taken = tryTake(place);
        if (!taken) {
            free.incrementAndGet();
        }
        return taken;
    }

    void give(int place) {
        long bit = 1L << place;
        taken.accumulateAndGet(place / Long.SIZE, bit, (word, mask) -> word & ~mask);
        if (place < size) {
            free.incrementAndGet();
        } else {
            takenBeyond.decrementAndGet();
        }
    }

    /** How many are taken, with those beyond the end. */
    int taken() {
        return size - free.get() + takenBeyond.get();
    }

    private boolean reserve() {
        for (int left = free.get(); left > 0; left = free.get()) {
            if (free.compareAndSet(left, left - 1)) {
                return true;
            }
        }
        return false;
    }

    private boolean tryTake(int place) {
        long bit = 1L << place;
        int word = place / Long.SIZE;
        for (long before = taken.get(word); (before & bit) == 0; before = taken.get(word)) {
            if (taken.compareAndSet(word, before, before | bit)) {
                return true;
            }
        }
        return false;
    }
}
