package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;

/** Words unchanged; a test changes one thread's view of them, or its writes. */
public abstract class WordsView implements Words {

    final Words words;

    protected WordsView(Words words) {
        this.words = words;
    }

    @Override
    public long size() {
        return words.size();
    }

    @Override
    public long getVolatile(long index) {
        return words.getVolatile(index);
    }

    @Override
    public long position(long index) {
        return words.position(index);
    }

    @Override
    public long getPlainAt(long position) {
        return words.getPlainAt(position);
    }

    @Override
    public void acquireFence() {
        words.acquireFence();
    }

    @Override
    public void setRelease(long index, long value) {
        words.setRelease(index, value);
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
        return words.compareAndSet(index, expected, value);
    }

    @Override
    public boolean compareAndSetAt(long position, long expected, long value) {
        return words.compareAndSetAt(position, expected, value);
    }

    @Override
    public void force() {
        words.force();
    }

    @Override
    public void force(long first, int count) {
        words.force(first, count);
    }
}
