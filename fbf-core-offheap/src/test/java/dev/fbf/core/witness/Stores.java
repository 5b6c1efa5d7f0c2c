package dev.fbf.core.witness;

import dev.fbf.core.filter.WordsView;
import dev.fbf.core.memory.Words;
import java.util.Random;

/**
 * The stores of a process, counted from 0: it dies at one of them, or some have no effect as on a full disk, and the JVM says so later or
 * never.
 */
public final class Stores {

    private static final int NEVER = Integer.MAX_VALUE;

    private final Random results = new Random(1);
    private int death = NEVER;
    private int lost = NEVER;
    private int lostUntil = NEVER;
    private int count;
    private boolean failed;

    /** The process dies instead of the store after this many. */
    public static Stores until(int death) {
        Stores stores = new Stores();
        stores.dieAfter(death);
        return stores;
    }

    /** From now on, the process dies instead of the store after this many. */
    void dieAfter(int left) {
        death = count + left;
    }

    /** From now on, the stores after this many are lost, or only the first of them. */
    void loseAfter(int left, boolean all) {
        lost = count + left;
        lostUntil = all ? NEVER : lost + 1;
    }

    void heal() {
        death = NEVER;
        lost = NEVER;
    }

    /** Whether a store was lost, or the process has died instead of one. */
    boolean haveFailed() {
        return failed;
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
        boolean isLost = count >= lost && count < lostUntil;
        dieIfDue();
        failed |= isLost;
        return !isLost;
    }

    /** Counts a store, or dies instead of it. */
    void dieIfDue() {
        if (count == death) {
            failed = true;
            throw new Death();
        }
        count++;
    }
}
