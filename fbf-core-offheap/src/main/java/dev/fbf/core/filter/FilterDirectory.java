package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.NewFile;
import dev.fbf.core.memory.PrivateFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory with the filters of one process: the files of its scopes, and a lock that keeps other processes out. A
 * directory that this class creates gets a {@code .gitignore}: files that Git restores would take the filters back to
 * an earlier state.
 *
 * <p>Owns the lock and the mapped files, and closes them in order: it ends the refreshes, marks the files as closed, then releases the
 * lock. Thread-safe.
 */
public final class FilterDirectory extends FilterStore {

    private static final Pattern FILE = Pattern.compile(
            "(.+~[1-9][0-9]*\\.fbf|fbf\\.(lock|claims|log~[1-9][0-9]*|tokens~[0-9a-f]+))(?<half>\\.new)?");

    /** XFS is one only for files that were copied by reference ({@code cp --reflink}), and its type does not say so. */
    private static final Set<String> COPY_ON_WRITE = Set.of("btrfs", "zfs", "bcachefs", "nilfs2", "apfs");

    private static final Logger log = LoggerFactory.getLogger(FilterDirectory.class);

    private final Path path;
    private final MachineClock clock;
    private final DirectoryLock lock;

    private FilterDirectory(Path path, MachineClock clock, DirectoryLock lock) {
        this.path = path;
        this.clock = clock;
        this.lock = lock;
    }

    /**
     * Opens a directory for this process alone. Creates it if it does not exist.
     *
     * @return the open directory, to be closed
     * @throws StorageException if another process has it open, it cannot be created or written to, other users may
     *     write to it, or one of its files is a symbolic link
     */
    public static FilterDirectory open(Path path) {
        return open(path, MachineClock.monotonic());
    }

    static FilterDirectory open(Path path, MachineClock clock) {
        try {
            boolean isNew = Files.notExists(path);
            PrivateDirectory.create(path);
            if (isNew) {
                keepOutOfGit(path);
            }
            Path realPath = path.toRealPath();
            PrivateDirectory.protect(realPath);
            DirectoryLock lock = DirectoryLock.acquire(realPath);
            try {
                prepareFiles(realPath, lock.isOnCopy());
                lock.noteOriginal();
                sayWhereAFullDiskIsDangerous(realPath);
                return new FilterDirectory(realPath, clock, lock);
            } catch (StorageException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StorageException(
                    "The directory " + path.toAbsolutePath() + " cannot be made or written to: " + e + ".",
                    NewFile.isFull(path, e)
                            ? "The disk is full: free some space, or choose another directory."
                            : "Give this user permission to write there, or choose another directory.",
                    StorageException.Setting.DIRECTORY,
                    e);
        }
    }

    /**
     * Refuses symbolic links, makes the files of earlier versions private, gives the pages of sparse copies their blocks, and removes files
     * that a process was creating when it was killed. A failure is harmless, except for lack of room.
     */
    private static void prepareFiles(Path locked, boolean copied) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(locked)) {
            for (Path entry : entries) {
                Matcher name = FILE.matcher(entry.getFileName().toString());
                if (!name.matches()) {
                    continue;
                }
                PrivateFiles.requireNoLink(entry);
                if (entry.endsWith(DirectoryLock.FILE_NAME)) {
                    continue; // opening and closing it would drop the lock
                }
                if (name.group("half") == null) {
                    PrivateDirectory.protectFile(entry);
                    if (copied) {
                        fillHoles(entry);
                    }
                } else if (Files.isRegularFile(entry)) {
                    Files.delete(entry);
                    log.debug("Deleted {}, which a process was making when it ended.", entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            log.debug("Files that were left half-made in {} cannot be deleted.", locked, e);
        }
    }

    private static void fillHoles(Path file) {
        try {
            NewFile.fillHoles(file);
        } catch (IOException e) {
            if (NewFile.isFull(file, e)) {
                throw new StorageException(
                        "The file " + file
                                + " is a sparse copy, and the disk has no room for the pages that were left out.",
                        "Free some space, or copy the directory again without holes (cp --sparse=never).",
                        StorageException.Setting.DIRECTORY,
                        e);
            }
            log.debug("The file {} cannot be prepared.", file, e); // who opens it says why
        }
    }

    private static void sayWhereAFullDiskIsDangerous(Path directory) throws IOException {
        String type = Files.getFileStore(directory).type();
        if (COPY_ON_WRITE.contains(type)) {
            log.info(
                    "The directory {} is on {}, which takes a new block for each change of a file. When that disk is full, no operation"
                            + " is applied until some space is free and the application was started again. Watch the free space,"
                            + " or choose a directory on ext4 or XFS.",
                    directory,
                    type);
        }
    }

    /** Writes the {@code .gitignore}. A failure is harmless. */
    private static void keepOutOfGit(Path made) {
        Path file = made.resolve(".gitignore");
        try {
            Files.writeString(file, "*\n", StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            log.debug("The file {} cannot be written.", file, e);
        }
    }

    @Override
    AdaptiveFilter open(
            String scope, FilterPlan plan, long log, Consumer<ForgetfulBloomFilter> restore, long @Nullable [] secret) {
        return new ArenaFiles(path, scope, clock, log).open(plan, restore, secret);
    }

    @Override
    public void requireInPlace() {
        lock.requireInPlace();
    }

    @Override
    void release() {
        lock.close();
    }

    /** {@return the directory's real path} */
    public Path path() {
        return path;
    }

    /** {@return the id of the machine's current boot, different from that of any other; 0 where it is not known} */
    public long boot() {
        return clock.boot();
    }

    /** {@return the machine's uptime in milliseconds, the same for all processes of a boot that is known} */
    public long uptimeMillis() {
        return TimeUnit.NANOSECONDS.toMillis(clock.uptimeNanos());
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
