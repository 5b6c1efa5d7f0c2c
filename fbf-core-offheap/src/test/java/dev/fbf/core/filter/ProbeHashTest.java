package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import dev.fbf.core.OperationId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProbeHashTest {

    @Test
    void seedsAsTheSipHashReferenceDoes() {
        ProbeHash hash = new ProbeHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

        assertThat(hash.seed(new OperationId(0x0706050403020100L, 0x0f0e0d0c0b0a0908L)))
                .isEqualTo(0x3f2acc7f57c29bdbL);
    }

    @Test
    void seedsAsGuavaDoes() {
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            long secret0 = random.nextLong();
            long secret1 = random.nextLong();
            OperationId id = new OperationId(random.nextLong(), random.nextLong());
            ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putLong(id.high()).putLong(id.low());

            assertThat(new ProbeHash(secret0, secret1).seed(id))
                    .isEqualTo(Hashing.sipHash24(secret0, secret1)
                            .hashBytes(bytes.array())
                            .asLong());
        }
    }

    @Test
    void spreadsLinesEvenlyFromFirstToLast() {
        int lines = 500;
        int[] hits = new int[lines];
        int draws = 500_000;
        ProbeHash hash = new ProbeHash(1, 2);
        for (int i = 0; i < draws / 4; i++) {
            long seed = hash.seed(new OperationId(i, 0));
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
