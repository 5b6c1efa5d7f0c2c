package dev.fbf.core.filter;

import dev.fbf.core.OperationId;

/**
 * The lines and slots of an operation: numbers that nobody can foresee without the file's secret.
 *
 * <p>SipHash-1-3 of the operation id under the secret seeds a SplitMix64 sequence (Steele, Lea and Flood, 2014). Each of
 * its numbers gives a line, by its high bits and without a division, and the bits within that line, by its low bits,
 * nine for each probe (from 2^28 lines on, 16 GiB, both have a few in common). Two operations with the same 64-bit seed
 * cannot be told apart: among n operations that adds n·2^−64 to the false positive probability.
 *
 * <p>SipHash (Aumasson and Bernstein, 2012) with one round for each block and three at the end is what Rust and Python
 * key their hash tables with, for the same reason: an attacker sees no hash, only what it leads to. It takes half the
 * time of SipHash-2-4.
 */
final class ProbeHash {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final long secret0;
    private final long secret1;

    ProbeHash(long secret0, long secret1) {
        this.secret0 = secret0;
        this.secret1 = secret1;
    }

    /** The seed of an operation's lines: SipHash-1-3 of its 16 bytes, each half in little-endian order. */
    long seed(OperationId id) {
        long v0 = secret0 ^ 0x736f6d6570736575L;
        long v1 = secret1 ^ 0x646f72616e646f6dL;
        long v2 = secret0 ^ 0x6c7967656e657261L;
        long v3 = secret1 ^ 0x7465646279746573L;
        // the third block is SipHash's length block: no bytes are left, the length is 16
        for (int block = 0; block < 4; block++) {
            long message = switch (block) {
                case 0 -> id.high();
                case 1 -> id.low();
                case 2 -> 16L << 56;
                default -> 0;
            };
            v3 ^= message;
            if (block == 3) {
                v2 ^= 0xff;
            }
            for (int round = block == 3 ? 3 : 1; round > 0; round--) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= message;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    /** The number that decides one of an operation's lines and the slots in it. */
    static long number(long seed, int line) {
        long z = seed + (line + 1) * GOLDEN_GAMMA;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The line that a number stands for, {@code 0 <= line < lines}: the high half of their unsigned product. */
    static long line(long number, long lines) {
        return Math.multiplyHigh(number, lines) + ((number >> 63) & lines);
    }
}
