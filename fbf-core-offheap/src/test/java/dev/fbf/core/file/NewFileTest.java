package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.ForcedWords;
import dev.fbf.core.memory.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "its directories cannot be forced")
    void forcesWordsAndTheDirectoryWithTheirName() {
        WordFile.Disk disk = new WordFile.Disk();
        ForcedWords words = new ForcedWords(1);
        words.setRelease(0, 7);

        disk.force(words);

        assertThat(words.afterPowerLoss().getVolatile(0)).isEqualTo(7);
        assertThatExceptionOfType(NoSuchFileException.class)
                .isThrownBy(() -> disk.forceName(temporary.resolve("missing").resolve("words")));
    }

    /** Linux counts the bytes of each page that a process has changed, except on a file system in memory. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aWordThatIsWrittenCostsThePageThatItIsIn() throws IOException {
        int pages = 16_384;
        long written = 1_000;
        Words words = words().create(pages * 4096L, created -> {});
        SplittableRandom random = new SplittableRandom(1);

        long before = bytesToBeWritten();
        random.longs(written, 0, words.size()).forEach(index -> words.setRelease(index, 1));

        assertThat(bytesToBeWritten() - before).isLessThan(4 * written * 4096);
    }

    private static long bytesToBeWritten() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/io"))) {
            return lines.filter(line -> line.startsWith("write_bytes: "))
                    .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void forcesTheWordsBeforeTheyHaveTheirNameAndTheNameBeforeItReturns() throws IOException {
        List<String> order = new ArrayList<>();

        words().create(BYTES, words -> order.add("written"), new RecordedDisk(order));

        assertThat(order).containsExactly("written", "forced", "named");
    }

    @Test
    void leavesNothingBehindWhoseWordsCannotBeForced() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> words().create(BYTES, words -> {}, new RecordedDisk(List.of())));

        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void leavesNothingBehindWhoseNameCannotBeForced() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> words().create(BYTES, words -> {}, new DiskThatForcesNoName()));

        assertThat(temporary).isEmptyDirectory();
    }

    /** There is no other, and it has all that the one before had. */
    @Test
    void leavesAFileThatReplacedTheOldOneThoughItsNameCannotBeForced() throws IOException {
        words().create(BYTES, words -> {});

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> words().create(2 * BYTES, words -> {}, new DiskThatForcesNoName()));

        assertThat(Files.size(file)).isEqualTo(2 * BYTES);
    }

    private static class DiskThatForcesNoName extends WordFile.Disk {

        @Override
        void forceName(Path file) throws IOException {
            throw new IOException("the disk is gone");
        }
    }

    /** Notes the forces, and has no room for notes if it shall fail. */
    private final class RecordedDisk extends WordFile.Disk {

        private final List<String> order;

        RecordedDisk(List<String> order) {
            this.order = order;
        }

        @Override
        void force(Words words) {
            if (order.isEmpty()) {
                throw new UncheckedIOException(new IOException("the disk is gone"));
            }
            assertThat(file).doesNotExist();
            order.add("forced");
            super.force(words);
        }

        @Override
        void forceName(Path named) throws IOException {
            assertThat(named).isEqualTo(file).exists();
            order.add("named");
            super.forceName(named);
        }
    }
}
