package dev.fbf.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** In UTF-8 it would be a question mark, and one operation another's. */
    @ParameterizedTest
    @ValueSource(strings = {"\uD800", "a\uDC00b", "\uDC00\uD800"})
    void refusesHalfOfASurrogatePair(String part) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OperationId.of("s", "c", part))
                .withMessage("part 3 of 3: must not have an unpaired surrogate");
        assertThatIllegalArgumentException().isThrownBy(() -> OperationId.of("s", part, "k"));
    }
}
