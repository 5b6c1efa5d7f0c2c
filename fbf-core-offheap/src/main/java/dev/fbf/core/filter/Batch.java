package dev.fbf.core.filter;

import java.util.function.ToLongFunction;

/** Up to 64 operations that are checked or put together, so that the loads of their cache lines overlap. Not thread-safe. */
public final class Batch {

    private static final int MAX = Long.SIZE;

    final long[] high = new long[MAX];
    final long[] low = new long[MAX];

    /** Seeds of the operations in the arena that was touched last. */
    final long[] seeds = new long[MAX];

    /** Positions of the lines to load next. */
    final long[] positions = new long[MAX];

    int size;

    /** Sink for loaded words, so that the compiler does not remove the loads. */
    long touched;

    /** Source of a batch's operations, by their indexes. */
    @FunctionalInterface
    public interface Source {
        /** Adds the operation with the given index. */
        void add(int index, Batch batch);
    }

    private Batch() {}

    public int size() {
        return size;
    }

    public long high(int operation) {
        return high[operation];
    }

    public long low(int operation) {
        return low[operation];
    }

    public void add(long high, long low) {
        this.high[size] = high;
        this.low[size++] = low;
    }

    /**
     * Calls a function for {@code count} operations, a batch at a time.
     *
     * @param function returns one bit per operation of a batch
     * @return the bits, by the operations' indexes
     */
    public static boolean[] each(int count, Source source, ToLongFunction<Batch> function) {
        boolean[] results = new boolean[count];
        Batch batch = new Batch();
        for (int first = 0; first < count; first += MAX) {
            batch.size = 0;
            for (int i = first; i < Math.min(count, first + MAX); i++) {
                source.add(i, batch);
            }
            long bits = function.applyAsLong(batch);
            for (int i = 0; i < batch.size; i++) {
                results[first + i] = (bits >>> i & 1) != 0;
            }
        }
        return results;
    }
}
