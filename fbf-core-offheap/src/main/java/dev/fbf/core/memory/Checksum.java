package dev.fbf.core.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Computes the checksum of fbf's files: CRC32C, which detects any change within 32 consecutive bits. */
public final class Checksum {

    private Checksum() {}

    /**
     * Computes the checksum of words in native byte order.
     *
     * @param words the words
     * @param first the first word's index
     * @param count the number of words
     * @return the checksum, of 32 bits
     */
    public static long of(Words words, long first, long count) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(count * Long.BYTES)).order(ByteOrder.nativeOrder());
        for (long word = first; word < first + count; word++) {
            bytes.putLong(words.getVolatile(word));
        }
        return of(bytes.flip());
    }

    /**
     * Computes the checksum of bytes.
     *
     * @param bytes the bytes from its position to its limit; the buffer stays unchanged
     * @return the checksum, of 32 bits
     */
    public static long of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return crc.getValue();
    }
}
