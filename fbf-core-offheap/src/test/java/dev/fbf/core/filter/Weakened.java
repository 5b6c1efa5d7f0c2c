package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.util.function.LongConsumer;

/**
 * The filter without one of its precautions. A test of the filter that does not fail without the one it is
 * about proves nothing.
 */
final class Weakened {

    private Weakened() {}

    /** A put or check that takes the state it saw first for the state it sees last. For one operation only. */
    static Words withoutSecondRead(Words words) {
        return new WordsView(words) {

            private boolean hasRead;
            private long first;

            @Override
            public long getVolatile(long index) {
                if (index != FilterLayout.STATE_WORD) {
                    return super.getVolatile(index);
                }
                if (!hasRead) {
                    hasRead = true;
                    first = super.getVolatile(index);
                }
                return first;
            }
        };
    }

    /** A refresh that clears the generation it drops before it publishes the next one. */
    static Words clearingBeforePublishing(FilterPlan plan, Words words) {
        Lanes lanes = new Lanes(plan, words);
        return publishing(words, newest -> lanes.clear(1L << bit(plan, newest + 1)), newest -> {});
    }

    /** A refresh that publishes the next generation before it is clean. */
    static Words publishingBeforeClearing(FilterPlan plan, Words words) {
        Lanes lanes = new Lanes(plan, words);
        return publishing(words, newest -> {}, newest -> lanes.clear(1L << bit(plan, newest)));
    }

    /** Reads and writes the lanes where it should compare and set. */
    static Words tornCompareAndSet(Words words) {
        return new WordsView(words) {
            @Override
            public boolean compareAndSetAt(long position, long expected, long value) {
                long index =
                        FilterLayout.STATE_WORD + (position - words.position(FilterLayout.STATE_WORD)) / Long.BYTES;
                if (words.getVolatile(index) != expected) {
                    return false;
                }
                words.setRelease(index, value);
                return true;
            }
        };
    }

    private static Words publishing(Words words, LongConsumer before, LongConsumer after) {
        return new WordsView(words) {
            @Override
            public boolean compareAndSet(long index, long expected, long value) {
                long newest = ArenaState.epoch(value);
                boolean publishes = index == FilterLayout.STATE_WORD && newest != ArenaState.epoch(expected);
                if (!publishes) {
                    return super.compareAndSet(index, expected, value);
                }
                before.accept(newest);
                boolean published = super.compareAndSet(index, expected, value);
                after.accept(newest);
                return published;
            }
        };
    }

    private static long bit(FilterPlan plan, long generation) {
        return generation & (plan.laneBits() - 1);
    }
}
