package dev.fbf.core.file;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directory for exclusive use by this process until it is closed.
 */
public final class LockedDirectory implements AutoCloseable {

    private static final Pattern FILE = Pattern.compile("(.+~[1-9][0-9]*\\.fbf|fbf\\.(lock|claims))(?<half>\\.new)?");

    /** File systems that copy on write. XFS only does so for reflinked files ({@code cp --reflink}), which its type does not show. */
    private static final Set<String> COPY_ON_WRITE = Set.of("btrfs", "zfs", "bcachefs", "nilfs2", "apfs");

    private static final Logger log = LoggerFactory.getLogger(LockedDirectory.class);

    private final Path path;
    private final DirectoryLock lock;

    private LockedDirectory(Path path, DirectoryLock lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Locks a directory. Creates it if it does not exist. Root may own it, and its set-group-ID bit shows that others may write to it.
     *
     * @throws StorageException if it is already open, in this process or another; it cannot be created, written to or locked; or the
     *     disk has no room for the holes of a sparse copy. Also if other users own it or may write to it, or one of its files is a symbolic
     *     link
     */
    public static LockedDirectory open(Path path) {
        try {
            PrivateDirectory.create(path);
            Path realPath = path.toRealPath();
            PrivateDirectory.protect(realPath);
            DirectoryLock lock = DirectoryLock.acquire(realPath);
            try {
                prepareFiles(realPath, lock.isOnCopy());
                lock.noteOriginal();
                sayWhereAFullDiskIsDangerous(realPath);
                return new LockedDirectory(realPath, lock);
            } catch (IOException | RuntimeException | Error e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StorageException(
                    "The directory " + path.toAbsolutePath() + " cannot be created or written to: " + e + ".",
                    NewFile.isFull(path, e)
                            ? "The disk is full: free some space, or choose another directory."
                            : "Give this user permission to write there, or choose another directory.",
                    StorageException.Setting.DIRECTORY,
                    e);
        }
    }

    /**
     * Refuses symbolic links, makes the files of earlier versions private, allocates the blocks of sparse copies, and removes unfinished
     * files of killed processes. Failures are harmless, except for a full disk.
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
                    log.debug("Deleted {}, an unfinished file of an earlier process.", entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            log.debug("Not all files in {} could be prepared.", locked, e);
        }
    }

    private static void fillHoles(Path file) {
        try {
            NewFile.fillHoles(file);
        } catch (IOException e) {
            if (NewFile.isFull(file, e)) {
                throw new StorageException(
                        "The file " + file + " is a sparse copy, and the disk has no room for its missing pages.",
                        "Free some space, or copy the directory again without holes (cp --sparse=never).",
                        StorageException.Setting.DIRECTORY,
                        e);
            }
            log.debug("The file {} cannot be prepared.", file, e); // opening the file reports the failure
        }
    }

    private static void sayWhereAFullDiskIsDangerous(Path directory) throws IOException {
        String type = Files.getFileStore(directory).type();
        if (COPY_ON_WRITE.contains(type)) {
            log.info(
                    "The directory {} is on {}, which allocates a new block for each change of a file. If the disk is"
                            + " full, no operation is applied until space is freed and the application is restarted."
                            + " Monitor the free space, or choose a directory on ext4 or XFS.",
                    directory,
                    type);
        }
    }

    /** {@return whether the directory may be a copy of the one that the last process used} */
    public boolean isOnCopy() {
        return lock.isOnCopy();
    }

    /** {@return the real path} */
    public Path path() {
        return path;
    }

    /**
     * Checks that the directory is still locked.
     *
     * @throws InternalError if the lock file was deleted or moved
     */
    public void requireInPlace() {
        lock.requireInPlace();
    }

    /** Releases the directory. */
    @Override
    public void close() {
        lock.close();
    }
}
