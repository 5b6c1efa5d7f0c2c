package dev.fbf.core.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The checksum that all of fbf's files have: CRC32C, which shows any change of up to 32 bits in a row. */
public final class Checksum {

    private Checksum() {}

    /**
     * Computes that of words, in native byte order.
     *
     * @param words where they are
     * @param first the first word's index
     * @param count how many words
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
     * Computes that of bytes.
     *
     * @param bytes those from its position to its limit, which stay as they are
     * @return the checksum, of 32 bits
     */
    public static long of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return crc.getValue();
    }
}
