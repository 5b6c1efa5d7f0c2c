package dev.fbf.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.Threads;
import org.junit.jupiter.api.Test;

/** The contract of every {@link Words}. */
abstract class WordsContract {

    static final long SIZE = 1024;

    abstract Words words() throws Exception;

    @Test
    void startsWithAllWordsZero() throws Exception {
        Words words = words();

        assertThat(words.size()).isEqualTo(SIZE);
        for (long i = 0; i < SIZE; i++) {
            assertThat(words.getVolatile(i)).isZero();
        }
    }

    @Test
    void comparesBeforeItSets() throws Exception {
        Words words = words();

        assertThat(words.compareAndSet(7, 1, 2)).isFalse();
        assertThat(words.getVolatile(7)).isZero();
        assertThat(words.compareAndSet(7, 0, 2)).isTrue();
        assertThat(words.getVolatile(7)).isEqualTo(2);
    }

    @Test
    void reachesTheWordsOfALineFromThePositionOfItsFirst() throws Exception {
        Words words = words();
        words.setRelease(16, 1);
        words.setRelease(23, 2);

        long position = words.position(16);

        assertThat(words.getPlainAt(position)).isEqualTo(1);
        assertThat(words.getPlainAt(position + 7 * Long.BYTES)).isEqualTo(2);
        assertThat(words.getPlainAt(position, 0)).isEqualTo(1);
        assertThat(words.getPlainAt(position, 7)).isEqualTo(2);
        assertThat(words.compareAndSetAt(position + 7 * Long.BYTES, 1, 3)).isFalse();
        assertThat(words.compareAndSetAt(position + 7 * Long.BYTES, 2, 3)).isTrue();
        assertThat(words.getVolatile(23)).isEqualTo(3);
    }

    @Test
    void losesNoIncrementOfManyThreads() throws Exception {
        Words words = words();
        int threads = 4;
        int increments = 20_000;
        Threads.run(threads, thread -> {
            for (int n = 0; n < increments; n++) {
                increment(words, 5);
            }
        });

        assertThat(words.getVolatile(5)).isEqualTo((long) threads * increments);
    }

    private static void increment(Words words, long index) {
        long value = words.getVolatile(index);
        while (!words.compareAndSet(index, value, value + 1)) {
            value = words.getVolatile(index);
        }
    }
}
