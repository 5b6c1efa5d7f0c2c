package dev.fbf.loadtest.torture.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.filter.FilterDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilterFileTest {

    @TempDir
    Path directory;

    @Test
    void isAsLargeAsAskedForAndInUse() throws Exception {
        FilterFile file = FilterFile.make(directory, "scope", 1);

        assertThat(file.plan().bytes()).isBetween(1L << 20, (1L << 20) * 11 / 10);
        assertThat(Files.size(directory.resolve("scope~1.fbf")))
                .isEqualTo(file.plan().bytes());
        assertThat(file.elements()).isPositive();
        try (FilterDirectory reopened = FilterDirectory.open(directory)) {
            long elements = reopened.filter("scope", file.plan()).stats().approximateElementCount();
            assertThat(elements).isBetween(file.elements() * 9 / 10, file.elements() * 11 / 10);
        }
    }
}
