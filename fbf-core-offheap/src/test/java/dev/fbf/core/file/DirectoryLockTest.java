package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are copies, those that only look like it, and those that cannot be locked. */
class DirectoryLockTest {

    private static final String LOCK = "fbf.lock";

    @TempDir
    private Path temporary;

    @Test
    void isNoneWhenItWasMoved() throws IOException {
        Path first = Files.createDirectory(temporary.resolve("first"));
        open(first);
        Path second = Files.move(first, temporary.resolve("second"));

        assertThat(open(second)).isFalse();
    }

    @Test
    void isOneWithTheTimesOfTheOriginalToo() throws IOException {
        Path first = Files.createDirectory(temporary.resolve("first"));
        Path second = Files.createDirectory(temporary.resolve("second"));
        open(first);
        Files.copy(first.resolve(LOCK), second.resolve(LOCK), StandardCopyOption.COPY_ATTRIBUTES);

        assertThat(open(second)).isTrue();
        assertThat(open(second)).as("afterwards").isFalse();
    }

    /** Inodes are used again: so the name of the inode alone does not tell. */
    @Test
    void isOneThatTookThePlaceOfTheOriginal() throws IOException {
        open(temporary);
        Path lock = temporary.resolve(LOCK);
        Files.setLastModifiedTime(lock, Files.getLastModifiedTime(lock));

        assertThat(open(temporary)).isTrue();
    }

    @Test
    void isOneWithoutALockFile() throws IOException {
        open(temporary);
        Files.delete(temporary.resolve(LOCK));

        assertThat(open(temporary)).isTrue();
    }

    private static boolean open(Path directory) {
        try (LockedDirectory locked = LockedDirectory.open(directory)) {
            return locked.isOnCopy();
        }
    }
}
