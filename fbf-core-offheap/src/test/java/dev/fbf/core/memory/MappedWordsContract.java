package dev.fbf.core.memory;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The contract of words of a mapped file. */
abstract class MappedWordsContract extends WordsContract {

    @TempDir
    private Path directory;

    abstract OffHeapMemory memory();

    @Override
    Words words() throws IOException {
        return map(sparseFile(SIZE * Long.BYTES));
    }

    @Test
    void reachesWordsBeyondTwoGibibytes() throws IOException {
        long gibibyte = 1L << 30;
        Words words = map(sparseFile(2 * gibibyte + 64));
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

    @Test
    void hasItsStoresInTheFile() throws IOException {
        Path file = sparseFile(SIZE * Long.BYTES);
        Words words = map(file);
        words.setRelease(1, 0x0102030405060708L);
        words.compareAndSet(2, 0, -1);

        words.force(0, 8);
        words.force();

        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        assertThat(bytes.getLong(0)).isZero();
        assertThat(bytes.getLong(8)).isEqualTo(0x0102030405060708L);
        assertThat(bytes.getLong(16)).isEqualTo(-1);
    }

    @Test
    void outlivesTheNameOfItsFile() throws IOException {
        Path file = sparseFile(SIZE * Long.BYTES);
        Words words = map(file);
        words.requireInPlace();
        Files.delete(file);

        words.setRelease(3, 42);

        assertThat(words.getVolatile(3)).isEqualTo(42);
        assertThatExceptionOfType(InternalError.class)
                .isThrownBy(words::requireInPlace)
                .withMessageContaining("deleted");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @Timeout(60)
    void isUnmappedOnceItIsUnreachable() throws IOException {
        Path file = sparseFile(SIZE * Long.BYTES);
        map(file).setRelease(1, 1);
        assertThat(map(file).getVolatile(1)).isEqualTo(1);

        while (isMapped(file)) {
            System.gc();
        }
    }

    static boolean isMapped(Path file) throws IOException {
        return Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
    }

    Words map(Path file) throws IOException {
        return map(memory(), file);
    }

    static Words map(OffHeapMemory memory, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
            return memory.map(channel, file);
        }
    }

    Path sparseFile(long bytes) throws IOException {
        Path file = directory.resolve("words");
        try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
            created.setLength(bytes);
        }
        return file;
    }
}
