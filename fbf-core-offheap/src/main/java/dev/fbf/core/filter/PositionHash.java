package dev.fbf.core.filter;

import dev.fbf.core.OperationId;

/**
 * The positions of an operation: a stream of 64-bit numbers that nobody can foresee without the file's secret.
 *
 * <p>SipHash-2-4 (Aumasson and Bernstein, 2012) of the operation id under the secret seeds a SplitMix64 sequence
 * (Steele, Lea and Flood, 2014); each number is scaled to a position without a division. Two operations with the same
 * 64-bit seed cannot be told apart: among n operations that adds n·2^−64 to the false positive probability.
 */
final class PositionHash {

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final long secret0;
    private final long secret1;

    PositionHash(long secret0, long secret1) {
        this.secret0 = secret0;
        this.secret1 = secret1;
    }

    /** The seed of an operation's positions: SipHash-2-4 of its 16 bytes, each half in little-endian order. */
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
            for (int round = block == 3 ? 4 : 2; round > 0; round--) {
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

    /** The position of a probe, {@code 0 <= position < positions}. */
    static long position(long seed, int probe, long positions) {
        long z = seed + (probe + 1) * GOLDEN_GAMMA;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        // the high half of the unsigned product z × positions
        return Math.multiplyHigh(z, positions) + ((z >> 63) & positions);
    }
}
