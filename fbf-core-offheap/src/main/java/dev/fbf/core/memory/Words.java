package dev.fbf.core.memory;

import java.lang.invoke.VarHandle;

/**
 * A fixed array of 64-bit words that threads share without locks. The memory ordering of an access is in its name.
 *
 * <p>Volatile reads and compare-and-sets of all words have one total order, as Java's volatile variables have. An
 * index outside {@code 0 <= index < size()} is a programmer error with undefined consequences: off-heap accesses are
 * not checked.
 */
public interface Words {

    /**
     * Returns how many words there are.
     *
     * @return the number of words, of 8 bytes each
     */
    long size();

    /**
     * Reads a word with volatile ordering.
     *
     * @param index the word's index
     * @return the word
     */
    long getVolatile(long index);

    /**
     * Writes a word with release ordering: what this thread wrote before is seen by whoever sees this write.
     *
     * @param index the word's index
     * @param value what to write
     */
    void setRelease(long index, long value);

    /**
     * Writes a word, with volatile ordering, if it still has the value expected.
     *
     * @param index the word's index
     * @param expected the value the word must have
     * @param value what to write
     * @return whether the word was written
     */
    boolean compareAndSet(long index, long expected, long value);

    /**
     * Finds the place of a word once for several accesses. The words of a cache line, 8 from a multiple of 8 on, lie
     * 8 apart: the next of them is at {@code position + 8}.
     *
     * @param index the word's index
     * @return its position, good for as long as these words are
     */
    default long position(long index) {
        return index * Long.BYTES;
    }

    /**
     * Reads a word with no ordering at all: other reads may go before it, unless a fence or a volatile access keeps
     * them. Never a half-written word.
     *
     * @param position where the word is
     * @return the word
     */
    default long getPlainAt(long position) {
        return getVolatile(position / Long.BYTES);
    }

    /** Keeps the plain reads before it ahead of all reads and writes after it. */
    default void acquireFence() {
        VarHandle.acquireFence();
    }

    /**
     * Does what {@link #compareAndSet} does.
     *
     * @param position where the word is
     * @param expected the value the word must have
     * @param value what to write
     * @return whether the word was written
     */
    default boolean compareAndSetAt(long position, long expected, long value) {
        return compareAndSet(position / Long.BYTES, expected, value);
    }

    /**
     * Gives the memory back at once, if it is not the heap's. No thread may access the words from then on: the process
     * would crash. Words that nothing reaches are given back without it, sooner or later.
     */
    default void unmap() {
        // the heap's collector does
    }

    /** Forces what was written to the disk, if there is one below. Survives power loss, where stores alone do not. */
    void force();

    /**
     * Forces a part of the words to the disk, if there is one below.
     *
     * @param first the first word's index
     * @param count how many words; they must not cross a multiple of 1 GiB
     */
    void force(long first, int count);
}
