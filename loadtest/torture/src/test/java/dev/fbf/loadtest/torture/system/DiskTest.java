package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskTest {

    @TempDir
    Path directory;

    @Test
    void hasNoRoomUntilItIsFreedAndIsGoneWhenItIsClosed() throws Exception {
        try (Disk disk = mounted()) {
            disk.fill();
            assertThatIOException().isThrownBy(() -> Files.writeString(point().resolve("some"), "text"));
            disk.free();
            assertThat(Files.writeString(point().resolve("some"), "text")).hasContent("text");
        }
        assertThat(point()).isEmptyDirectory();
    }

    @Test
    void isUnmountedThoughNobodyClosedIt() throws Exception {
        try (Disk disk = mounted()) {
            assertThat(disk.whyNone()).isNull();
            Files.writeString(point().resolve("some"), "text");
            Disk.unmountAnyIn(directory.resolve("another"));
            assertThat(point().resolve("some")).exists();
            Disk.unmountAnyIn(directory);
            assertThat(point()).isEmptyDirectory();
        }
    }

    @Test
    void tellsWhyItCouldNotBeMounted() throws Exception {
        try (Disk disk = Disk.mount(point(), -1)) {
            assertThat(disk.whyNone()).isNotBlank();
            assertThat(Files.writeString(point().resolve("some"), "text")).exists();
        }
    }

    private Disk mounted() throws Exception {
        Disk disk = Disk.mount(point(), 1);
        assumeTrue(disk.whyNone() == null, () -> "no disk can be mounted here: " + disk.whyNone());
        return disk;
    }

    private Path point() {
        return directory.resolve("disk");
    }
}
