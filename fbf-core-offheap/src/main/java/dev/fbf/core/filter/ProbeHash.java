package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterSizing;
import java.security.SecureRandom;
import java.util.stream.LongStream;

/**
 * Hash that determines the lines and slots of an operation, as numbers that are unpredictable without the file's secret.
 *
 * <p>A multilinear hash of the operation id seeds a SplitMix64 sequence (Steele, Lea and Flood, 2014). Each number of the sequence selects
 * a line by its high bits, without a division, and bits within that line by its low bits, nine per probe (beyond 2^28 lines, 16 GiB,
 * the two ranges may overlap slightly).
 *
 * <p>The hash is that of Lemire and Kaser ("Strongly universal string hashing is fast", 2014, theorem 1) with an addend of 64 instead of
 * 128 bits. So two operations have the same seed, and cannot be distinguished, with probability 2^−64; if an attacker chose them without
 * the secret, with less than 2^−63. Among n operations that adds n·2^−64 to the false positive probability. Including the generations
 * beyond the window, and seeds that are one number of the sequence apart and so share all lines but one, it is less than twice that
 * ({@link FilterSizing#SAME_SEED}). A hash like SipHash would take several times as long, and delay the next operation's loads.
 */
final class ProbeHash {

    static final int SECRET_WORDS = 5;

    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private final long addend;
    private final long highKeyHigh;
    private final long highKeyLow;
    private final long lowKeyHigh;
    private final long lowKeyLow;

    static long[] randomSecret() {
        return LongStream.generate(new SecureRandom()::nextLong)
                .limit(SECRET_WORDS)
                .toArray();
    }

    /** Creates a hash with {@link #SECRET_WORDS} random words. */
    ProbeHash(long... secret) {
        addend = secret[0];
        highKeyHigh = secret[1];
        highKeyLow = secret[2];
        lowKeyHigh = secret[3];
        lowKeyLow = secret[4];
    }

    /**
     * Computes the seed of an operation's lines: the high half of {@code addend·2^64 + high·highKey + low·lowKey}, modulo 2^128. The halves
     * of the id and of the keys are signed, which is equivalent.
     */
    long seed(OperationId id) {
        long high = id.high();
        long low = id.low();
        long highLow = high * highKeyLow;
        long lowLow = low * lowKeyLow;
        long carry = ((highLow & lowLow) | ((highLow | lowLow) & ~(highLow + lowLow))) >>> (Long.SIZE - 1);
        return addend
                + Math.multiplyHigh(high, highKeyLow)
                + high * highKeyHigh
                + Math.multiplyHigh(low, lowKeyLow)
                + low * lowKeyHigh
                + carry;
    }

    /** Returns the number that decides one of an operation's lines and the slots in it. */
    static long number(long seed, int line) {
        long z = seed + (line + 1) * GOLDEN_GAMMA;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** Returns the line of a number, {@code 0 <= line < lines}: the high half of their unsigned product. */
    static long line(long number, long lines) {
        return Math.multiplyHigh(number, lines) + ((number >> 63) & lines);
    }
}
