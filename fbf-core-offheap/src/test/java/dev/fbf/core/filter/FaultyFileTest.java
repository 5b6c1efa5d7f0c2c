package dev.fbf.core.filter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.core.file.ChangedBytes;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Filters' files that are not as they were written: refused by name, with a remedy, and left byte for byte as they were. */
class FaultyFileTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();
    private static final int HEADER_BYTES = FilterLayout.HEADER_WORDS * Long.BYTES;

    @TempDir
    private Path temporary;

    private Path file;
    private byte[] sound;

    @BeforeEach
    void makeASoundFile() throws IOException {
        file = temporary.resolve("views~1.fbf");
        try (FilterStore directory = FilterStore.open(temporary)) {
            directory.filter("views", PLAN).put(new OperationId(1, 2));
        }
        sound = Files.readAllBytes(file);
    }

    @Test
    void refusesAnyByteOfTheHeaderChanged() throws IOException {
        try (FilterStore directory = FilterStore.open(temporary)) {
            ChangedBytes.assertEachRefused(
                    file,
                    IntStream.range(0, HEADER_BYTES),
                    () -> directory.filter("views", PLAN),
                    "Restore the original file",
                    "Run the newer version of fbf");
            assertThat(directory.filter("views", PLAN)).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "", "0", "01", "-1", "+2", "1.old", "10000000000000000000"})
    void leavesAFileAloneWhoseNumberIsNone(String number) throws IOException {
        Path stray = temporary.resolve("views~" + number + ".fbf");
        Files.write(stray, sound);

        try (FilterStore directory = FilterStore.open(temporary)) {
            assertThat(directory.filter("views", PLAN).arenas()).hasSize(1);
        }
        assertThat(stray).hasBinaryContent(sound);
    }
}
