package dev.fbf.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class AllocatedWordsTest extends WordsContract {

    @Override
    Words words() {
        return MappedWords.allocate(SIZE);
    }

    @Test
    void beginsWithACacheLine() {
        for (int i = 0; i < 10; i++) {
            assertThat(words().position(0) % 64).isZero();
        }
    }

    @Test
    void hasNoDiskToBeForcedTo() {
        Words words = words();

        assertThatCode(() -> {
                    words.force();
                    words.force(SIZE - 8, 8);
                })
                .doesNotThrowAnyException();
    }
}
