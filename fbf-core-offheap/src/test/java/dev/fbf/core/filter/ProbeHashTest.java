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
            assertThat(new ProbeHash(secret).seed(id))
                    .isEqualTo(sum.shiftRight(Long.SIZE).longValue());
        }
    }

    private static BigInteger number(long high, long low) {
        return BigInteger.valueOf(high).shiftLeft(Long.SIZE).add(BigInteger.valueOf(low));
    }
}
