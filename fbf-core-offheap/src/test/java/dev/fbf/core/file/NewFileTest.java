package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NewFileTest {

    private static final int BYTES = 64;

    @TempDir
    private Path temporary;

    private Path file;

    @BeforeEach
    void name() {
        file = temporary.resolve("words");
    }

    private WordFile words() {
        return new WordFile("The file of the test", file, 1, 1, 2, "Restore it.", "ask for less");
    }

    static Stream<Consumer<Words>> failures() {
        return Stream.of(
                words -> {
                    throw new UncheckedIOException(new IOException("the disk is gone"));
                },
                words -> {
                    throw new InternalError("a fault occurred in an unsafe memory access");
                });
    }

    @ParameterizedTest
    @MethodSource("failures")
    void leavesNothingBehindThatCannotBeWritten(Consumer<Words> failure) {
        assertThatExceptionOfType(Throwable.class).isThrownBy(() -> words().create(BYTES, failure));

        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void replacesWhatACrashLeftUnfinished() throws IOException {
        Files.write(temporary.resolve("words.new"), new byte[1]);

        words().create(BYTES, words -> {});

        assertThat(temporary).isDirectoryNotContaining("glob:**.new");
        assertThat(file).hasSize(BYTES);
    }

    @Test
    void forcesTheWordsBeforeTheyHaveTheirNameAndTheNameBeforeItReturns() {
        TestDisk disk = new TestDisk(false);

        words().create(BYTES, words -> disk.order.add("written"), disk);

        assertThat(disk.order).containsExactly("written", "forced", "named");
    }

    @Test
    void leavesNothingBehindWhoseNameCannotBeForced() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> words().create(BYTES, words -> {}, new TestDisk(true)));

        assertThat(temporary).isEmptyDirectory();
    }

    /** There is no other, and it has all that the one before had. */
    @Test
    void leavesAFileThatReplacedTheOldOneThoughItsNameCannotBeForced() throws IOException {
        words().create(BYTES, words -> {});

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> words().create(2 * BYTES, words -> {}, new TestDisk(true)));

        assertThat(Files.size(file)).isEqualTo(2 * BYTES);
    }

    /** Notes what is forced, and forces no name if the disk is gone. */
    private final class TestDisk extends WordFile.Disk {

        private final List<String> order = new ArrayList<>();
        private final boolean gone;

        TestDisk(boolean gone) {
            this.gone = gone;
        }

        @Override
        void force(Words words) {
            order.add(Files.exists(file) ? "forced late" : "forced");
            super.force(words);
        }

        @Override
        void forceName(Path named) throws IOException {
            if (gone) {
                throw new IOException("the disk is gone");
            }
            assertThat(named).isEqualTo(file).exists();
            order.add("named");
            super.forceName(named);
        }
    }
}
