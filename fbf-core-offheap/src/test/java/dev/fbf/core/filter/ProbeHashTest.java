package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import org.junit.jupiter.api.Test;

class ProbeHashTest {

    @Test
    void seedsAsSipHash13Does() {
        // the 16-byte vector of Rust's core library, tests/hash/sip.rs: 66 8b 90 7d 1a dd 4f cc
        ProbeHash hash = new ProbeHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);

        assertThat(hash.seed(new OperationId(0x0706050403020100L, 0x0f0e0d0c0b0a0908L)))
                .isEqualTo(0xcc4fdd1a7d908b66L);
    }

    @Test
    void seedsAsSipHash13DoesWithHighBitsSet() {
        // by an implementation of our own in Python that was checked against Rust's vectors
        ProbeHash hash = new ProbeHash(0x91b7584a2265b1f5L, 0xcd613e30d8f16adfL);

        assertThat(hash.seed(new OperationId(0x1027c4d1c386bbc4L, 0x1e2feb89414c343cL)))
                .isEqualTo(0x7ad3a1205a593324L);
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
