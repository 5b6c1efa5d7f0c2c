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
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps other processes out of a directory. The operating system releases the lock when the process dies. */
final class DirectoryLock implements AutoCloseable {

    /**
     * Directories that this process has locked. The operating system locks by process, and drops a process's lock when
     * the process closes the file through any other channel: so a second attempt from within must not even open it.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    static final String FILE_NAME = "fbf.lock";

    private final Path directory;
    private final FileChannel channel;

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /** Locks a directory given by its real path. */
    static DirectoryLock acquire(Path directory) throws IOException {
        if (!HELD.add(directory)) {
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
            if (channel.tryLock() == null) {
                ByteBuffer holder = ByteBuffer.allocate(20);
                channel.read(holder, 0);
                throw inUse(
                        directory,
                        "process " + UTF_8.decode(holder.flip()),
                        "Stop the other one, or give each its own directory.");
            }
            byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(UTF_8);
            channel.truncate(0).write(ByteBuffer.wrap(pid), 0);
            acquired = true;
            return new DirectoryLock(directory, channel);
        } finally {
            if (!acquired) {
                HELD.remove(directory);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            HELD.remove(directory);
        }
    }

    private static StorageException inUse(Path directory, String holder, String action) {
        return new StorageException(
                "The directory " + directory + " is in use by " + holder + ".", action, Setting.DIRECTORY, null);
    }
}
