package dev.fbf.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

/** The contract of words off the heap without a file. */
abstract class AllocatedWordsContract extends WordsContract {

    abstract OffHeapMemory memory();

    @Override
    Words words() {
        return memory().allocate(SIZE);
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
