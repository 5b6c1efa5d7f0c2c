package dev.fbf.core.keyed;

import dev.fbf.core.OperationId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Sink that hashes the parts of a key to 128 bits by SipHash-2-4 (Aumasson and Bernstein, 2012), keyed with the filter's secret. The input
 * includes types and lengths, so that two different lists of parts never have the same input. Not thread-safe.
 */
public final class KeySink {

    private static final VarHandle WORDS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Type of a part, in the bits above its length. */
    private static final long NUMBER = 1L << Integer.SIZE;

    private static final long BYTES = 2L << Integer.SIZE;
    private static final long TEXT = 3L << Integer.SIZE;

    private final long key0;
    private final long key1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    KeySink(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
        begin();
    }

    /** Returns a sink whose key does not reveal the secret. */
    static KeySink of(long[] secret) {
        KeySink sink = new KeySink(secret[0], secret[1]);
        for (int word = 2; word < secret.length; word++) {
            sink.word(secret[word]);
        }
        OperationId key = sink.end();
        return new KeySink(key.high(), key.low());
    }

    /** Returns a sink with the same key for another thread. */
    KeySink copy() {
        return new KeySink(key0, key1);
    }

    /** Adds a number, and returns this sink. */
    public KeySink put(long part) {
        return word(NUMBER).word(part);
    }

    /** Adds bytes, and returns this sink. */
    public KeySink put(byte[] part) {
        word(BYTES | part.length);
        int at = 0;
        for (; at <= part.length - Long.BYTES; at += Long.BYTES) {
            word((long) WORDS.get(part, at));
        }
        long last = 0;
        for (int i = part.length - 1; i >= at; i--) {
            last = last << Byte.SIZE | Byte.toUnsignedLong(part[i]);
        }
        return word(last);
    }

    /** Adds text as its UTF-16 code units, and returns this sink. */
    public KeySink put(CharSequence part) {
        int length = part.length();
        word(TEXT | length);
        long word = 0;
        for (int i = 0; i < length; i++) {
            word = word << Character.SIZE | part.charAt(i);
            if (i % (Long.BYTES / Character.BYTES) == Long.BYTES / Character.BYTES - 1) {
                word(word);
                word = 0;
            }
        }
        return word(word);
    }

    KeySink word(long word) {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
        return this;
    }

    /** Returns the hash of the parts, and resets the sink. */
    OperationId end() {
        v2 ^= 0xee;
        long high = rounds(4);
        v1 ^= 0xdd;
        long low = rounds(4);
        begin();
        return new OperationId(high, low);
    }

    private void begin() {
        v0 = key0 ^ 0x736f6d6570736575L;
        v1 = key1 ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = key0 ^ 0x6c7967656e657261L;
        v3 = key1 ^ 0x7465646279746573L;
    }

    private long rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
