package dev.fbf.core.file;

import static java.nio.charset.StandardCharsets.UTF_8;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

    /** A process that dies before has not filled all holes. */
    @Test
    void isOneUntilItIsNotedAsAnOriginal() throws IOException {
        open(temporary);
        DirectoryLock.acquire(temporary).close();

        assertThat(open(temporary)).isTrue();
        assertThat(open(temporary)).as("afterwards").isFalse();
    }

    @Test
    void isInUseByTheProcessThatTheLockFileNames() throws IOException {
        assertInUseBy("another process");
        DirectoryLock.acquire(temporary).close();
        assertInUseBy("process " + ProcessHandle.current().pid());
    }

    private void assertInUseBy(String holder) {
        List<FileChannel> opened = new ArrayList<>();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> DirectoryLock.acquire(temporary, channel -> {
                    opened.add(channel);
                    return null;
                }))
                .withMessageContaining("The directory " + temporary + " is in use by " + holder + ".");
        assertThat(opened).singleElement().matches(channel -> !channel.isOpen(), "closed");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void hasItsHolesFilledIfItIsOneAndKeepsThemIfNot() throws IOException {
        Path copied = sparse("views~1.fbf");
        Files.createDirectory(temporary.resolve("not-a-file~1.fbf"));
        LockedDirectory.open(temporary).close();
        Path later = sparse("likes~1.fbf");
        LockedDirectory.open(temporary).close();

        assertThat(allocated(copied)).isGreaterThanOrEqualTo(Files.size(copied));
        assertThat(allocated(later)).isLessThan(Files.size(later));
    }

    private static long allocated(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        return 512 * Long.parseLong(new String(stat.getInputStream().readAllBytes(), UTF_8).strip());
    }

    private Path sparse(String name) throws IOException {
        Path file = temporary.resolve(name);
        try (FileChannel sparse = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            sparse.write(ByteBuffer.wrap(new byte[] {1}), 0);
            sparse.write(ByteBuffer.wrap(new byte[] {2}), 5_000_000);
        }
        return file;
    }

    @Test
    void keepsItsContentsWhenItsHolesAreFilled() throws IOException {
        Path file = sparse("file");
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
