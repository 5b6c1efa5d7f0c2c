package dev.fbf.core.memory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A fixed array of 64-bit words that threads share without locks. The name of each access states its memory ordering.
 *
 * <p>Volatile reads and compare-and-sets of all words have one total order, like those of Java's volatile variables. An index outside
 * {@code 0 <= index < size()} is a programmer error with undefined consequences.
 */
public interface Words {

    /** {@return the number of words, of 8 bytes each} */
    long size();

    /** Reads a word with volatile ordering. */
    long getVolatile(long index);

    /** Writes a word with release ordering: a thread that reads this write sees all earlier writes of this thread. */
    void setRelease(long index, long value);

    /**
     * Writes a word as {@link #setRelease} does, and reads it back. Other threads must not write the word meanwhile.
     *
     * @throws InternalError if the word does not have the value: see {@link MappedFault}
     */
    default void setChecked(long index, long value) {
        setRelease(index, value);
        if (getVolatile(index) != value) {
            throw MappedFault.of(this, "a store had no effect");
        }
    }

    /**
     * Writes a word, with volatile ordering, if it still has the expected value.
     *
     * @return whether the word was written
     */
    boolean compareAndSet(long index, long expected, long value);

    /**
     * Computes the position of a word once for several accesses. Within a cache line (8 words, starting at an index that is a multiple of
     * 8), the next word is at {@code position + 8}.
     *
     * @return its position, valid while these words are open
     */
    default long position(long index) {
        return index * Long.BYTES;
    }

    /**
     * Reads a word without ordering: other reads may overtake it, unless a fence or a volatile access prevents that.
     * Never returns a half-written word.
     */
    default long getPlainAt(long position) {
        return getVolatile(position / Long.BYTES);
    }

    /**
     * Reads a word of a cache line as {@link #getPlainAt(long)} does, possibly faster.
     *
     * @param line the position of the line's first word
     * @param word the word's number in the line, from 0 to 7
     */
    default long getPlainAt(long line, long word) {
        return getPlainAt(line + word * Long.BYTES);
    }

    /** Orders earlier plain reads before all later reads and writes. */
    default void acquireFence() {
        VarHandle.acquireFence();
    }

    /**
     * Writes a word as {@link #compareAndSet} does.
     *
     * @return whether the word was written
     */
    default boolean compareAndSetAt(long position, long expected, long value) {
        return compareAndSet(position / Long.BYTES, expected, value);
    }

    /**
     * Checks that the file, if there is one, still has its name and length: otherwise the next process would not find it, or an access
     * beyond its end would fault.
     *
     * @throws InternalError if it was deleted, moved or truncated
     */
    default void requireInPlace() {
        // memory without a file is always in place
    }

    /**
     * Releases the memory of a file immediately if later accesses then throw an {@link IllegalStateException}; otherwise the garbage
     * collector releases it, as without this call.
     */
    default void unmap() {}

    /** {@return the CRC32C of {@code count} words from {@code first}, in native byte order: it detects any error burst of up to 32 bits} */
    default long checksum(long first, long count) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(count * Long.BYTES)).order(ByteOrder.nativeOrder());
        for (long word = first; word < first + count; word++) {
            bytes.putLong(getVolatile(word));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        return crc.getValue();
    }

    /** Forces all written words to the disk, if there is one. Without this, a power loss may revert stores. */
    void force();

    /**
     * Forces a range of words to the disk, if there is one.
     *
     * @param first the first word's index
     * @param count the number of words; the range must not cross a multiple of 1 GiB
     */
    void force(long first, int count);
}
