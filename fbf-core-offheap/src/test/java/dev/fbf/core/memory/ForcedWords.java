package dev.fbf.core.memory;

/** Words above a disk that has the forced ones. */
public final class ForcedWords implements Words {

    private final long[] words;
    private final long[] disk;

    public ForcedWords(long size) {
        this(new long[(int) size]);
    }

    private ForcedWords(long[] disk) {
        this.disk = disk;
        words = disk.clone();
    }

    /** The words after the next boot: all forced ones, and nothing else. */
    public ForcedWords afterPowerLoss() {
        return new ForcedWords(disk.clone());
    }

    @Override
    public long size() {
        return words.length;
    }

    @Override
    public synchronized long getVolatile(long index) {
        return words[(int) index];
    }

    @Override
    public synchronized void setRelease(long index, long value) {
        words[(int) index] = value;
    }

    @Override
    public synchronized boolean compareAndSet(long index, long expected, long value) {
        if (words[(int) index] != expected) {
            return false;
        }
        setRelease(index, value);
        return true;
    }

    @Override
    public synchronized void force() {
        System.arraycopy(words, 0, disk, 0, words.length);
    }

    @Override
    public synchronized void force(long first, int count) {
        System.arraycopy(words, (int) first, disk, (int) first, count);
    }
}
