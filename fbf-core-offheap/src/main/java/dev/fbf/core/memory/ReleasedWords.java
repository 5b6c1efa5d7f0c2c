package dev.fbf.core.memory;

/**
 * Placeholder for words that are no longer used, so that their former owner does not keep the file mapped. Threads that still have the
 * words can use them, because only the garbage collector unmaps them.
 */
public final class ReleasedWords implements Words {

    /** The value of each word. */
    public static final long UNKNOWN = -1;

    @Override
    public long size() {
        return 0;
    }

    @Override
    public long getVolatile(long index) {
        return UNKNOWN;
    }

    @Override
    public void setRelease(long index, long value) {
        throw closed();
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
        throw closed();
    }

    @Override
    public void force() {
        throw closed();
    }

    @Override
    public void force(long first, int count) {
        throw closed();
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("the file was closed");
    }
}
