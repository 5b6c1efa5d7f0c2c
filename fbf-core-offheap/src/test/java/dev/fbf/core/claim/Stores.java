package dev.fbf.core.claim;

import dev.fbf.core.filter.WordsView;
import dev.fbf.core.memory.Words;
import java.util.Random;

/**
 * The stores of a process, counted from 0: it dies at one of them, or some have no effect as on a full disk, and the JVM says so later or
 * never. Words and logs may share them.
 */
public final class Stores {

    private static final int NEVER = Integer.MAX_VALUE;

    private final int lost;
    private final int lostUntil;
    private final Random results = new Random(1);
    private int death;
    private int count;

    private Stores(int death, int lost, int lostUntil) {
        this.death = death;
        this.lost = lost;
        this.lostUntil = lostUntil;
    }

    static Stores unlimited() {
        return until(NEVER);
    }

    /** The process dies instead of the store after this many. */
    public static Stores until(int death) {
        return new Stores(death, NEVER, NEVER);
    }

    /** The stores from {@code first} on are lost, to before {@code end}. */
    static Stores without(int first, int end) {
        return new Stores(NEVER, first, end);
    }

    /** From now on, the process dies instead of the store after this many. */
    void dieAfter(int left) {
        death = left == NEVER ? NEVER : count + left;
    }

    /** Returns the number of stores, including lost ones. */
    int count() {
        return count;
    }

    public Words of(Words words) {
        return new WordsView(words) {

            @Override
            public void setRelease(long index, long value) {
                if (hasEffect()) {
                    super.setRelease(index, value);
                }
            }

            @Override
            public boolean compareAndSet(long index, long expected, long value) {
                return hasEffect() ? super.compareAndSet(index, expected, value) : results.nextBoolean();
            }

            @Override
            public boolean compareAndSetAt(long position, long expected, long value) {
                return hasEffect() ? super.compareAndSetAt(position, expected, value) : results.nextBoolean();
            }

            @Override
            public void force() {
                dieIfDue();
                super.force();
            }

            @Override
            public void force(long first, int end) {
                dieIfDue();
                super.force(first, end);
            }
        };
    }

    private boolean hasEffect() {
        int store = count;
        dieIfDue();
        return store < lost || store >= lostUntil;
    }

    /** Counts a store, or dies instead of it. */
    void dieIfDue() {
        if (count == death) {
            throw new Death();
        }
        count++;
    }
}
