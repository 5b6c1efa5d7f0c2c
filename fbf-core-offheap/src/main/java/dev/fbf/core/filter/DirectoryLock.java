package dev.fbf.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.fbf.core.StorageException;
import dev.fbf.core.StorageException.Setting;
import dev.fbf.core.memory.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Keeps other processes out of a directory. The operating system releases the lock when the process dies. */
final class DirectoryLock implements AutoCloseable {

    /**
     * Name of the system property that marks a directory as locked by this process. The operating system locks by
     * process, and drops a process's lock when the process closes the file through any other channel: so a second
     * attempt from within must not even open it. A static field would be one per class loader.
     */
    private static final String HELD = "dev.fbf.locked:";

    /** Asks the operating system for a lock; tests replace it. */
    interface Locking {
        @Nullable FileLock tryLock(FileChannel channel) throws IOException;
    }

    static final String FILE_NAME = "fbf.lock";

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
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
            PrivateDirectory.protectFile(file); // before the lock: it opens and closes the file
            channel = PrivateFiles.open(file, CREATE, READ, WRITE);
            if (!isLocked(directory, channel, locking)) {
                String holder = SmallFile.read(channel);
                throw inUse(
                        directory,
                        holder.isEmpty() ? "another process" : "process " + holder,
                        "Stop the other one, or give each its own directory.");
            }
            byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(UTF_8);
            channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
            acquired = true;
            return new DirectoryLock(directory, channel);
        } finally {
            if (!acquired) {
                System.getProperties().remove(HELD + directory);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    private static boolean isLocked(Path directory, FileChannel channel, Locking locking) {
        try {
            return locking.tryLock(channel) != null;
        } catch (IOException e) {
            throw new StorageException(
                    "The directory " + directory + " cannot be locked: " + e + ".",
                    "Its file system does not support locks, or its lock service does not run: choose a directory on a"
                            + " local disk, or start the lock service (of NFS, say).",
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
