package dev.fbf.core.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The checksum in fbf's files: CRC32C, which detects any change within 32 consecutive bits. */
public final class Checksum {

    private Checksum() {}

    /** {@return the checksum, of 32 bits, of so many words in native byte order} */
    public static long of(Words words, long first, long count) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(count * Long.BYTES)).order(ByteOrder.nativeOrder());
        for (long word = first; word < first + count; word++) {
            bytes.putLong(words.getVolatile(word));
        }
        return of(bytes.flip());
    }

    /** {@return the checksum, of 32 bits, of the bytes from a buffer's position to its limit; the buffer stays unchanged} */
    public static long of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return crc.getValue();
    }
}
