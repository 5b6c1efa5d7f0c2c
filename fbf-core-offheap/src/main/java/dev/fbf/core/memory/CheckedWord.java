package dev.fbf.core.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Word of 48 value bits below a 16-bit checksum. It is stored atomically, and a change of any single byte is detected. Zero is invalid.
 */
public final class CheckedWord {

    /** The number of value bits. */
    public static final int BITS = 48;

    /** The greatest value. */
    public static final long MAX_VALUE = (1L << BITS) - 1;

    private CheckedWord() {}

    /** {@return the word for a value from 0 to {@link #MAX_VALUE}} */
    public static long of(long value) {
        return checksum(value) << BITS | value;
    }

    /** {@return the value of a word} */
    public static long value(long word) {
        return word & MAX_VALUE;
    }

    /** {@return whether a word is intact} */
    public static boolean isSound(long word) {
        return word == of(value(word));
    }

    private static long checksum(long value) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(0, value)
                .limit(BITS / Byte.SIZE));
        return (crc.getValue() ^ crc.getValue() >>> Short.SIZE) & 0xffff;
    }
}
