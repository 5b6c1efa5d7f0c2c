package dev.fbf.core.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Checksum in fbf's files: CRC32C, which detects any error burst of up to 32 bits. */
public final class Checksum {

    private Checksum() {}

    /** {@return the 32-bit checksum of {@code count} words from {@code first}, in native byte order} */
    public static long of(Words words, long first, long count) {
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.toIntExact(count * Long.BYTES)).order(ByteOrder.nativeOrder());
        for (long word = first; word < first + count; word++) {
            bytes.putLong(words.getVolatile(word));
        }
        return of(bytes.flip());
    }

    static long of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }
}
