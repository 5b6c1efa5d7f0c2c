package dev.fbf.core.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.StorageException;
import dev.fbf.core.StorageException.Setting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lock that excludes other processes from a directory. The operating system releases it when the process dies. */
final class DirectoryLock implements AutoCloseable {

    /**
     * Prefix of the system property that marks a directory as locked by this process. The operating system locks by process, and drops a
     * process's lock when the process closes the file through any other channel: so a second attempt within the process must not even open
     * it. A static field would be one per class loader.
     */
    private static final String HELD = "dev.fbf.locked:";

    /** Source of the operating system's locks; replaced in tests. */
    interface Locking {
        @Nullable FileLock tryLock(FileChannel channel) throws IOException;
    }

    static final String FILE_NAME = "fbf.lock";

    private static final String PID = Long.toString(ProcessHandle.current().pid());

    private final Path directory;
    private final FileChannel channel;
    private final boolean copied;

    private DirectoryLock(Path directory, FileChannel channel, boolean copied) {
        this.directory = directory;
        this.channel = channel;
        this.copied = copied;
    }

    /** Locks a directory given by its real path. */
    static DirectoryLock acquire(Path directory) throws IOException {
        return acquire(directory, FileChannel::tryLock);
    }

    static DirectoryLock acquire(Path directory, Locking locking) throws IOException {
        if (System.getProperties().putIfAbsent(HELD + directory, "") != null) {
            throw inUse(
                    directory,
                    "this process",
                    "Close the first one, or give each its own directory, also in tests that share a JVM.");
        }
        boolean acquired = false;
        FileChannel channel = null;
        try {
            Path file = directory.resolve(FILE_NAME);
            String unchanged = inodeIfUnchanged(file);
            PrivateDirectory.protectFile(file); // before locking, because closing the file would drop the lock
            channel = PrivateFiles.open(file, CREATE, READ, WRITE);
            String[] last = read(channel).split(" ", -1);
            if (!isLocked(directory, channel, locking)) {
                throw inUse(
                        directory,
                        last[0].isEmpty() ? "another process" : "process " + last[0],
                        "Stop the other one, or give each its own directory.");
            }
            DirectoryLock lock = new DirectoryLock(directory, channel, !last[last.length - 1].equals(unchanged));
            lock.write(PID);
            acquired = true;
            return lock;
        } finally {
            if (!acquired) {
                System.getProperties().remove(HELD + directory);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    private static String read(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(1024);
        while (text.hasRemaining() && channel.read(text, text.position()) > 0) {
            // a read may return only a part of the file
        }
        return UTF_8.decode(text.flip()).toString().strip();
    }

    /**
     * {@return whether the directory may be a copy, because its lock file is not the one that the last process wrote} A copy has another
     * inode. A copy into the original file keeps the inode, but its change time is later than the modification time that was copied.
     */
    boolean isOnCopy() {
        return copied;
    }

    /** Records that the directory counts as an original from now on. */
    void noteOriginal() throws IOException {
        write(PID + " " + inode(directory.resolve(FILE_NAME)));
    }

    /** Checks that the lock file exists; otherwise another process could lock a new file with its name. */
    void requireInPlace() {
        Path file = directory.resolve(FILE_NAME);
        if (Files.notExists(file, NOFOLLOW_LINKS)) {
            throw new InternalError(file + ": the file was deleted or moved while it was in use");
        }
    }

    private void write(String text) throws IOException {
        channel.truncate(0).write(ByteBuffer.wrap(text.getBytes(UTF_8)), 0);
    }

    private static String inodeIfUnchanged(Path file) throws IOException {
        if (!isUnix(file) || Files.notExists(file, NOFOLLOW_LINKS)) {
            return inode(file);
        }
        Map<String, Object> times = Files.readAttributes(file, "unix:ctime,lastModifiedTime", NOFOLLOW_LINKS);
        return Objects.equals(times.get("ctime"), times.get("lastModifiedTime")) ? inode(file) : "";
    }

    /** Returns the file's inode number; a constant if the system has no inodes, or the file does not exist. */
    private static String inode(Path file) throws IOException {
        return isUnix(file) && Files.exists(file, NOFOLLOW_LINKS)
                ? String.valueOf(Files.getAttribute(file, "unix:ino", NOFOLLOW_LINKS))
                : "-";
    }

    private static boolean isUnix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    private static boolean isLocked(Path directory, FileChannel channel, Locking locking) {
        try {
            return locking.tryLock(channel) != null;
        } catch (IOException e) {
            throw new StorageException(
                    "The directory " + directory + " cannot be locked: " + e + ".",
                    "Its file system does not support locks, or its lock service does not run: choose a directory on a"
                            + " local disk, or start the lock service, for example that of NFS.",
                    Setting.DIRECTORY,
                    e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            System.getProperties().remove(HELD + directory);
        }
    }

    private static StorageException inUse(Path directory, String holder, String action) {
        return new StorageException(
                "The directory " + directory + " is in use by " + holder + ".", action, Setting.DIRECTORY, null);
    }
}
