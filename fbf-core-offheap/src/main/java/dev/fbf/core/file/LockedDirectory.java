package dev.fbf.core.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Directory for exclusive use by this process until it is closed. The operating system releases the lock when the process dies. */
public final class LockedDirectory implements AutoCloseable {

    /**
     * Prefix of the system property that marks a directory as locked by this process. The operating system locks by process, and drops a
     * process's lock when the process closes the file through any other channel: so a second attempt within the process must not even open
     * it. A static field would be one per class loader.
     */
    private static final String HELD = "dev.fbf.locked:";

    private static final String LOCK = "fbf.lock";

    private static final String PID = Long.toString(ProcessHandle.current().pid());

    private final Path path;
    private final FileChannel channel;
    private final boolean copied;

    private LockedDirectory(Path path, FileChannel channel, boolean copied) {
        this.path = path;
        this.channel = channel;
        this.copied = copied;
    }

    /**
     * Locks a directory. Creates it if it does not exist. Root may own it, and its set-group-ID bit shows that others may write to it.
     *
     * @throws StorageException if it is already open, in this process or another; it cannot be created, written to or locked; other users
     *     own it or may write to it; or its lock file is a symbolic link
     */
    public static LockedDirectory open(Path path) {
        try {
            PrivateFiles.createDirectory(path);
            Path realPath = path.toRealPath();
            PrivateFiles.protect(realPath);
            return acquire(realPath);
        } catch (IOException e) {
            throw new StorageException(
                    "The directory " + path.toAbsolutePath() + " cannot be created or written to: " + e + ".",
                    "Give this user permission to write there, free some space if the disk is full, or choose another"
                            + " directory (property fbf.directory).",
                    e);
        }
    }

    private static LockedDirectory acquire(Path path) throws IOException {
        if (System.getProperties().putIfAbsent(HELD + path, "") != null) {
            throw inUse(
                    path,
                    "this process",
                    "Close the first one, or give each its own fbf.directory, also in tests that share a JVM.");
        }
        FileChannel channel = null;
        try {
            Path file = path.resolve(LOCK);
            String unchanged = inodeIfUnchanged(file);
            channel = PrivateFiles.open(file, CREATE, READ, WRITE);
            String[] last = read(channel).split(" ", -1);
            if (channel.tryLock() == null) {
                throw inUse(
                        path,
                        last[0].isEmpty() ? "another process" : "process " + last[0],
                        "Stop the other one, or give each its own directory (property fbf.directory).");
            }
            channel.truncate(0).write(ByteBuffer.wrap((PID + " " + inode(file)).getBytes(UTF_8)), 0);
            return new LockedDirectory(path, channel, !last[last.length - 1].equals(unchanged));
        } catch (IOException | RuntimeException | Error e) {
            System.getProperties().remove(HELD + path);
            if (channel != null) {
                channel.close();
            }
            throw e;
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
    public boolean isOnCopy() {
        return copied;
    }

    /** {@return the real path} */
    public Path path() {
        return path;
    }

    /**
     * Checks that the lock file exists; otherwise another process could lock a new file with its name.
     *
     * @throws InternalError if the lock file was deleted or moved
     */
    public void requireInPlace() {
        Path file = path.resolve(LOCK);
        if (Files.notExists(file, NOFOLLOW_LINKS)) {
            throw new InternalError(file + ": the file was deleted or moved while it was in use");
        }
    }

    private static String inodeIfUnchanged(Path file) throws IOException {
        if (!PrivateFiles.isUnix(file) || Files.notExists(file, NOFOLLOW_LINKS)) {
            return inode(file);
        }
        Map<String, Object> times = Files.readAttributes(file, "unix:ctime,lastModifiedTime", NOFOLLOW_LINKS);
        return Objects.equals(times.get("ctime"), times.get("lastModifiedTime")) ? inode(file) : "";
    }

    /** Returns the file's inode number; a constant if the system has no inodes, or the file does not exist. */
    private static String inode(Path file) throws IOException {
        return PrivateFiles.isUnix(file) && Files.exists(file, NOFOLLOW_LINKS)
                ? String.valueOf(Files.getAttribute(file, "unix:ino", NOFOLLOW_LINKS))
                : "-";
    }

    private static StorageException inUse(Path path, String holder, String action) {
        return new StorageException("The directory " + path + " is in use by " + holder + ".", action);
    }

    /** Releases the directory. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            System.getProperties().remove(HELD + path);
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
