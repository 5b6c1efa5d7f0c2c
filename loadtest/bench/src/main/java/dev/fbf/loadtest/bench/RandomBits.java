package dev.fbf.loadtest.bench;

import java.io.InputStream;
import java.util.SplittableRandom;

/** Some bytes, each bit of which is set by a toss of a coin. */
final class RandomBits extends InputStream {

    private final SplittableRandom random;
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
        byte[] bits = new byte[(int) Math.min(length, left)];
        if (bits.length == 0 && length > 0) {
            return -1;
        }
        random.nextBytes(bits);
        System.arraycopy(bits, 0, into, offset, bits.length);
        left -= bits.length;
        return bits.length;
    }
}
