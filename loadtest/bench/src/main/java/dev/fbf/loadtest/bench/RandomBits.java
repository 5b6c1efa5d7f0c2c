package dev.fbf.loadtest.bench;

import java.io.InputStream;
import java.util.Objects;
import java.util.SplittableRandom;

/** Some bytes, each bit of which is set by a toss of a coin. */
final class RandomBits extends InputStream {

    private final SplittableRandom random;
    private final byte[] rest = new byte[1 << 16];
    private int next = rest.length;
    private long left;

    RandomBits(SplittableRandom random, long bytes) {
        this.random = random;
        left = bytes;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (left == 0 && length > 0) {
            return -1;
        }
        if (next == rest.length) {
            random.nextBytes(rest);
            next = 0;
        }
        int count = (int) Math.min(Math.min(length, left), rest.length - next);
        System.arraycopy(rest, next, into, offset, count);
        next += count;
        left -= count;
        return count;
    }
}
