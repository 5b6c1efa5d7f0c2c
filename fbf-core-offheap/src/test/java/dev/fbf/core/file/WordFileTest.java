package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of words is read back as written, or refused by name, with a remedy, and left byte for byte as it was. */
class WordFileTest {

    private static final int WORDS = 1024;
    private static final int BYTES = WORDS * Long.BYTES;
    private static final int HEADER_WORDS = 64;
    private static final long MAGIC = 0x0102030405060708L;
    private static final long NEWEST = 2;

    @TempDir
    private Path directory;

    private Path file;
    private byte[] sound;

    @BeforeEach
    void create() throws IOException {
        file = directory.resolve("words");
        words().create(BYTES, words -> {
            words.setRelease(0, MAGIC);
            words.setRelease(1, NEWEST);
            words.setRelease(WORDS - 1, 42);
        });
        sound = Files.readAllBytes(file);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, HEADER_WORDS * Long.BYTES - 1})
    void refusesAFileThatEndsInItsHeader(int bytes) throws IOException {
        Files.write(file, Arrays.copyOf(sound, bytes));
        assertRefused().contains("it is truncated: " + bytes + " bytes are less than a header");
    }

    @ParameterizedTest
    @ValueSource(ints = {HEADER_WORDS * Long.BYTES, 4095, 4096, 4097, BYTES - 8, BYTES - 1})
    void refusesAFileThatEndsBehindItsHeader(int bytes) throws IOException {
        Files.write(file, Arrays.copyOf(sound, bytes));
        assertRefused().contains("it is truncated: " + bytes + " of " + BYTES + " bytes");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 4096})
    void refusesAFileWithSomethingBehindItsEnd(int more) throws IOException {
        Files.write(file, Arrays.copyOf(sound, BYTES + more));
        assertRefused().contains("it has extra bytes after its end: " + (BYTES + more) + " of " + BYTES + " bytes");
    }

    @Test
    void refusesAForeignFile() throws IOException {
        Files.writeString(file, "text of another program\n".repeat(1000));
        assertRefused().contains("it was not written by fbf on a machine of this byte order");
    }

    private WordFile words() {
        return new WordFile("The file of the test", file, MAGIC, NEWEST, HEADER_WORDS, "Restore it.", "ask for less");
    }

    private Words open(long bytes) {
        return words().open(header -> header.getVolatile(2) == 0 ? bytes : null);
    }

    private AbstractStringAssert<?> assertRefused() throws IOException {
        return assertThat(refusal())
                .startsWith("The file of the test " + file + " ")
                .endsWith("Restore it.");
    }

    private String refusal() throws IOException {
        byte[] before = Files.readAllBytes(file);
        StorageException refusal = catchThrowableOfType(StorageException.class, () -> open(BYTES));
        assertThat(refusal).isNotNull();
        assertThat(directory).isDirectoryNotContaining(other -> !other.equals(file));
        assertThat(file).hasBinaryContent(before);
        return String.valueOf(refusal.getMessage());
    }
}
