package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.witness.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "its files have no POSIX permissions, and links need a privilege")
class SymbolicLinksTest {

    private static final FilterPlan PLAN = new FilterSizing(10, Duration.ofSeconds(50), 1e-9).plan();

    @TempDir
    private Path temporary;

    private Path directory;
    private Path victim;

    @BeforeEach
    void makeVictim() throws IOException {
        directory = Files.createDirectory(temporary.resolve("fbf"));
        victim = Files.writeString(temporary.resolve("victim"), "precious");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fbf.lock", "fbf.claims", "fbf.claims.new", "views~1.fbf", "views~1.fbf.new"})
    void refusesALinkInPlaceOfAFile(String name) throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve(name), victim);
        assertRefused(link);
        assertThat(victim).hasContent("precious");

        Files.delete(victim);
        assertRefused(link);
        assertThat(victim).doesNotExist();

        Files.delete(link);
        open();
    }

    private void assertRefused(Path link) {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(this::open)
                .withMessageContaining("The file " + link + " is a symbolic link")
                .withMessageContaining("Delete the link");
        assertThat(link).isSymbolicLink();
    }

    private void open() {
        try (Node node = Node.open(directory, 8, false)) {
            node.scope("views", PLAN);
        }
    }

    /** Somebody is faster than the check at startup. */
    @Test
    void aNewFileIsNotWrittenThroughALink() throws IOException {
        Path file = directory.resolve("views~1.fbf");
        Files.createSymbolicLink(directory.resolve("views~1.fbf.new"), victim);

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> wordFile(file).create(64, words -> {}));

        assertThat(victim).hasContent("precious");
    }

    private static WordFile wordFile(Path file) {
        return new WordFile("The file of the test", file, 1, 1, 2, "Restore it.", "ask for less");
    }

    @Test
    void theDirectoryItselfMayBeALink() throws IOException {
        Path link = Files.createSymbolicLink(temporary.resolve("link"), directory);

        FilterStore.open(link).close();

        assertThat(directory.resolve("fbf.lock")).exists();
    }
}
