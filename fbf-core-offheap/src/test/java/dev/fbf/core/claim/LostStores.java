package dev.fbf.core.claim;

import dev.fbf.core.filter.WordsView;
import dev.fbf.core.memory.Words;
import java.util.Random;

/** Stores to files on a full disk: some have no effect, and the JVM says so later or never. Words may share them. */
final class LostStores {

    private final int first;
    private final int end;
    private final Random results = new Random(1);
    private int stores;

    /** Those from one to another, counted from 0. */
    LostStores(int first, int end) {
        this.first = first;
        this.end = end;
    }

    /** How many stores there were, those that are lost included. */
    int count() {
        return stores;
    }

    Words of(Words words) {
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
        };
    }

    private boolean hasEffect() {
        int store = stores++;
        return store < first || store >= end;
    }
}
