package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are copies, those that only look like it, and those that cannot be locked. */
class DirectoryLockTest {

    private static final String LOCK = "fbf.lock";

    @TempDir
    private Path temporary;

    @Test
    void isNoneWhenItIsOpenedAgain() throws IOException {
        open(temporary);

        assertThat(open(temporary)).isFalse();
        assertThat(open(temporary)).isFalse();
    }

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

    /** Its times are those of the copying. */
    @Test
    void isOneWithAnotherInode() throws IOException {
        Path first = Files.createDirectory(temporary.resolve("first"));
        Path second = Files.createDirectory(temporary.resolve("second"));
        open(first);
        Files.writeString(second.resolve(LOCK), Files.readString(first.resolve(LOCK)));

        assertThat(open(second)).isTrue();
    }

    @Test
    void isOneWithoutALockFile() throws IOException {
        open(temporary);
        Files.delete(temporary.resolve(LOCK));

        assertThat(open(temporary)).isTrue();
    }

    @Test
    void isInUseByTheProcessThatTheLockFileNames() throws IOException {
        assertInUseBy("another process");
        LockedDirectory.open(temporary).close();
        assertInUseBy("process " + ProcessHandle.current().pid());
    }

    private void assertInUseBy(String holder) {
        List<FileChannel> opened = new ArrayList<>();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> LockedDirectory.open(temporary, channel -> {
                    opened.add(channel);
                    return null;
                }))
                .withMessageContaining("The directory " + temporary + " is in use by " + holder + ".");
        assertThat(opened).singleElement().matches(channel -> !channel.isOpen(), "closed");
    }

    @Test
    void namesTheFileSystemThatHasNoLocks() throws IOException {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> LockedDirectory.open(temporary, channel -> {
                    throw new IOException("No locks available");
                }))
                .withMessageContaining("The directory " + temporary + " cannot be locked: ")
                .withMessageContaining("No locks available")
                .withMessageContaining("Its file system does not support locks")
                .satisfies(e -> assertThat(e.setting()).isEqualTo(StorageException.Setting.DIRECTORY));
        LockedDirectory.open(temporary).close();
    }

    private static boolean open(Path directory) {
        try (LockedDirectory locked = LockedDirectory.open(directory)) {
            return locked.isOnCopy();
        }
    }
}
