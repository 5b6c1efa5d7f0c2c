package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.memory.CheckedWord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckedWordTest {

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 0x1234_5678_9abcL, 1_800_000_000_000L, CheckedWord.MAX_VALUE})
    void showsEveryChangeOfASingleByte(long value) {
        long word = CheckedWord.of(value);

        assertThat(CheckedWord.value(word)).isEqualTo(value);
        assertThat(CheckedWord.isSound(word)).isTrue();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            for (long change = 1; change < 256; change++) {
                assertThat(CheckedWord.isSound(word ^ change << shift))
                        .as("byte %d changed by %x", shift / Byte.SIZE, change)
                        .isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void isNotSoundWhereNothingWasWritten(long word) {
        assertThat(CheckedWord.isSound(word)).isFalse();
    }
}
