package dev.fbf.core.memory;

import java.util.concurrent.atomic.AtomicLongArray;

/** The on-heap twin of {@link MappedWords}: same orderings, no file, gone with the process. */
public final class HeapWords implements Words {

    private final AtomicLongArray words;

    /**
     * Makes an array of words that are all zero.
     *
     * @param size how many words, at most {@link Integer#MAX_VALUE}
     */
    public HeapWords(long size) {
        words = new AtomicLongArray(Math.toIntExact(size));
    }

    @Override
    public long size() {
        return words.length();
    }

    @Override
    public long getPlainAt(long position) {
        return words.getPlain((int) (position / Long.BYTES));
    }

    @Override
    public long getVolatile(long index) {
        return words.get((int) index);
    }

    @Override
    public void setRelease(long index, long value) {
        words.setRelease((int) index, value);
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
        return words.compareAndSet((int) index, expected, value);
    }

    @Override
    public void force() {
        // there is no disk below
    }

    @Override
    public void force(long first, int count) {
        // there is no disk below
    }
}
