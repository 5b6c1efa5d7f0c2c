package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProbeHashTest {

    @Test
    void seedsByTheFormula() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long[] secret = random.longs(ProbeHash.SECRET_WORDS).toArray();
            OperationId id = new OperationId(random.nextLong(), random.nextLong());

            BigInteger sum = number(secret[0], 0)
                    .add(BigInteger.valueOf(id.high()).multiply(number(secret[1], secret[2])))
                    .add(BigInteger.valueOf(id.low()).multiply(number(secret[3], secret[4])));
            assertThat(new ProbeHash(secret).seed(id.high(), id.low()))
                    .isEqualTo(sum.shiftRight(Long.SIZE).longValue());
        }
    }

    private static BigInteger number(long high, long low) {
        return BigInteger.valueOf(high).shiftLeft(Long.SIZE).add(BigInteger.valueOf(low));
    }

    @Test
    void spreadsLinesEvenlyFromFirstToLast() {
        int lines = 500;
        int[] hits = new int[lines];
        int draws = 500_000;
        ProbeHash hash =
                new ProbeHash(new Random(1).longs(ProbeHash.SECRET_WORDS).toArray());
        for (int i = 0; i < draws / 4; i++) {
            long seed = hash.seed(i, 0);
            for (int line = 0; line < 4; line++) {
                hits[(int) ProbeHash.line(ProbeHash.number(seed, line), lines)]++;
            }
        }

        double mean = (double) draws / lines;
        double chiSquare = 0;
        for (int hit : hits) {
            chiSquare += (hit - mean) * (hit - mean) / mean;
        }
        // 499 degrees of freedom: mean 499, standard deviation 32
        assertThat(chiSquare).isBetween(499 - 5 * 32.0, 499 + 5 * 32.0);
    }
}
