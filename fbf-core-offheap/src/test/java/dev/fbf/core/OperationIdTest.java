package dev.fbf.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OperationIdTest {

    @Test
    void isTheTruncatedDigestOfTheLengthPrefixedParts() {
        // printf '\0\0\0\1s\0\0\0\1c\0\0\0\1k' | sha256sum
        assertThat(OperationId.of("s", "c", "k")).hasToString("74178a94523d91594c033425e04c0be9");
    }

    @Test
    void tellsPartsApartWhereverTheirBoundaryLies() {
        assertThat(OperationId.of("ab", "", "c")).isNotEqualTo(OperationId.of("a", "b", "c"));
        assertThat(OperationId.of("a", "b", "c")).isNotEqualTo(OperationId.of("a", "bc", ""));
    }
}
