package dev.fbf.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedWordsTest extends WordsContract {

    @TempDir
    private Path directory;

    @Override
    Words words() throws IOException {
        return MappedWords.map(sparseFile(SIZE * Long.BYTES));
    }

    @Test
    void showsItsStoresToTheNextMappingOfTheFile() throws IOException {
        Path file = sparseFile(SIZE * Long.BYTES);
        MappedWords.map(file).setRelease(3, 42);

        assertThat(MappedWords.map(file).getVolatile(3)).isEqualTo(42);
    }

    @Test
    void reachesWordsBeyondTwoGibibytes() throws IOException {
        long gibibyte = 1L << 30;
        Words words = MappedWords.map(sparseFile(2 * gibibyte + 64));
        long last = words.size() - 1;

        words.setRelease(last, 1);
        words.setRelease(gibibyte / Long.BYTES, 2);
        words.setRelease(gibibyte / Long.BYTES - 1, 3);

        assertThat(last * Long.BYTES).isEqualTo(2 * gibibyte + 56);
        assertThat(words.getVolatile(last)).isEqualTo(1);
        assertThat(words.getVolatile(gibibyte / Long.BYTES)).isEqualTo(2);
        assertThat(words.getVolatile(gibibyte / Long.BYTES - 1)).isEqualTo(3);
        assertThat(words.getVolatile(7)).isZero();
        assertThat(words.getPlainAt(words.position(gibibyte / Long.BYTES))).isEqualTo(2);
    }

    private Path sparseFile(long bytes) throws IOException {
        Path file = directory.resolve("words");
        try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
            created.setLength(bytes);
        }
        return file;
    }
}
