package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fbf.core.StorageException;
import dev.fbf.core.filter.DirectoryContents;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
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

    @Test
    void readsBackWhatWasWritten() {
        assertThat(open(BYTES).getVolatile(WORDS - 1)).isEqualTo(42);
    }

    @Test
    void opensTheFileAgainWhenItIsRestored() throws IOException {
        Files.write(file, new byte[BYTES]);
        assertRefused();
        Files.write(file, sound);

        assertThat(open(BYTES)).isNotNull();
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
    void refusesAFileOfANewerVersion() throws IOException {
        writeWord(1, NEWEST + 1);
        assertThat(refusal())
                .isEqualTo("The file of the test " + file + " has format 3; this version of fbf supports up to 2."
                        + " Run the newer version of fbf that wrote it.");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void refusesAFileOfAVersionThatNeverWas(long version) throws IOException {
        writeWord(1, version);
        assertRefused().contains("its header is corrupt");
    }

    @Test
    void refusesAFileWhoseHeaderTellsNoLength() throws IOException {
        writeWord(2, -1);
        assertRefused().contains("its header is corrupt");
    }

    @Test
    void refusesAForeignFile() throws IOException {
        Files.writeString(file, "text of another program\n".repeat(1000));
        assertRefused().contains("it was not written by fbf on a machine of this byte order");
    }

    @Test
    void refusesAFileOfTheOtherByteOrder() throws IOException {
        writeWord(0, Long.reverseBytes(MAGIC));
        assertRefused().contains("it was not written by fbf on a machine of this byte order");
    }

    @Test
    void refusesADirectoryInsteadOfAFile() throws IOException {
        Files.delete(file);
        Files.createDirectory(file);
        assertRefused().contains("is refused: it is not a regular file");
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
        Map<String, ByteBuffer> before = DirectoryContents.of(directory);
        StorageException refusal = catchThrowableOfType(StorageException.class, () -> open(BYTES));
        assertThat(refusal).isNotNull();
        assertThat(DirectoryContents.of(directory)).isEqualTo(before);
        return String.valueOf(refusal.getMessage());
    }

    private void writeWord(int index, long value) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(sound.clone()).order(ByteOrder.nativeOrder());
        Files.write(file, bytes.putLong(index * Long.BYTES, value).array());
    }
}
