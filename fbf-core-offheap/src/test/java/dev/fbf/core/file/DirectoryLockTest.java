package dev.fbf.core.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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

    @Test
    void keepsItsContentsWhenItsHolesAreFilled() throws IOException {
        Path file = temporary.resolve("file");
        try (FileChannel sparse = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            sparse.write(ByteBuffer.wrap(new byte[] {1}), 0);
            sparse.write(ByteBuffer.wrap(new byte[] {2}), 5_000_000);
        }
        byte[] before = Files.readAllBytes(file);

        NewFile.fillHoles(file);

        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void namesTheFileSystemThatHasNoLocks() throws IOException {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> DirectoryLock.acquire(temporary, channel -> {
                    throw new IOException("No locks available");
                }))
                .withMessageContaining("The directory " + temporary + " cannot be locked: ")
                .withMessageContaining("No locks available")
                .withMessageContaining("Its file system does not support locks")
                .satisfies(e -> assertThat(e.setting()).isEqualTo(StorageException.Setting.DIRECTORY));
        DirectoryLock.acquire(temporary).close();
    }

    private static boolean open(Path directory) throws IOException {
        try (DirectoryLock lock = DirectoryLock.acquire(directory.toRealPath())) {
            lock.noteOriginal();
            return lock.isOnCopy();
        }
    }
}
