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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
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
 * <p>A background thread refreshes the filters. Thread-safe.
 *
 * <p>This class alone owns the lock, the thread and the mapped files, and closes them in order: it ends the refreshes,
 * marks the files as closed, then releases the lock.
 */
public final class FilterDirectory implements AutoCloseable {

    /** The pattern of a scope's name, which is a part of the names of its files. */
    public static final Pattern SCOPE = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    private static final Pattern FILE = Pattern.compile(
            "(.+~[1-9][0-9]*\\.fbf|fbf\\.(lock|mode|claims|log~[1-9][0-9]*|tokens~[0-9a-f]+))(?<half>\\.new)?");

    /** XFS is one only for files that were copied by reference ({@code cp --reflink}), and its type does not say so. */
    private static final Set<String> COPY_ON_WRITE = Set.of("btrfs", "zfs", "bcachefs", "nilfs2", "apfs");

    private static final Logger log = LoggerFactory.getLogger(FilterDirectory.class);

    private final Path path;
    private final MachineClock clock;
    private final DirectoryLock lock;
    private final ScheduledExecutorService executor;
    private final Map<String, Refresher> filters = new ConcurrentHashMap<>();
    private volatile Consumer<InternalError> onFault = fault -> {};
    private boolean closed;

    private FilterDirectory(Path path, MachineClock clock, DirectoryLock lock) {
        this.path = path;
        this.clock = clock;
        this.lock = lock;
        executor = Refresher.executor("fbf-refresh");
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

    /**
     * Opens a scope's filter. Creates it if it does not exist. If the plan differs from the last one, new operations go
     * to a new arena, and the old one is checked until its window has passed.
     *
     * @param scope the scope's name, matching {@link #SCOPE}
     * @param plan the plan; while the scope's filter is open, the plan of the first call counts
     * @return the filter, usable until this directory is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope's name is not allowed
     * @throws StorageException if a file is corrupt, truncated, foreign or newer, or the disk has no room
     * @throws IllegalStateException if this directory was closed
     */
    public ForgetfulBloomFilter filter(String scope, FilterPlan plan) {
        return filter(scope, plan, FilterLayout.NONE, filter -> {});
    }

    /**
     * Opens a scope's filter as {@link #filter(String, FilterPlan)} does, with a log from which operations are
     * {@linkplain ForgetfulBloomFilter#restore restored} after a power failure. A refresh then waits for the disk, and
     * the filter is not {@linkplain ForgetfulBloomFilter#incompleteFor() incomplete} after a power failure under the
     * same log.
     *
     * @param scope the scope's name, matching {@link #SCOPE}
     * @param plan the plan; while the scope's filter is open, the plan of the first call counts
     * @param log the id of the log, from 1 to 2<sup>48</sup> - 1 and different from that of any other log; 0 if there
     *     is none
     * @param restore restores the operations of the log, before the filter is returned; if the process dies meanwhile,
     *     the next one restores them
     * @return the filter, usable until this directory is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope's name is not allowed
     * @throws StorageException if a file is corrupt, truncated, foreign or newer, or the disk has no room
     * @throws IllegalStateException if this directory was closed
     */
    public ForgetfulBloomFilter filter(
            String scope, FilterPlan plan, long log, Consumer<ForgetfulBloomFilter> restore) {
        return filter(scope, plan, log, restore, null);
    }

    /** Opens a scope's filter with a secret; null for its own, or a random one. */
    synchronized AdaptiveFilter filter(
            String scope, FilterPlan plan, long log, Consumer<ForgetfulBloomFilter> restore, long @Nullable [] secret) {
        if (!SCOPE.matcher(scope).matches()) {
            throw new IllegalArgumentException("scope=" + scope + ": must match " + SCOPE);
        }
        if (closed) {
            throw new IllegalStateException("the filter's directory was closed");
        }
        return filters.computeIfAbsent(scope, name -> {
                    AdaptiveFilter filter = new ArenaFiles(path, name, clock, log).open(plan, restore, secret);
                    Refresher refresher = new Refresher(name, filter, executor, fault -> onFault.accept(fault));
                    refresher.start();
                    return refresher;
                })
                .filter();
    }

    /**
     * Returns the error of the last attempt to refresh a scope's filter, or else why it has more false positives than stated and does
     * not grow. Until a refresh succeeds the filter forgets nothing, and its false positive probability rises.
     *
     * @return the error; null if there is none, or the scope is not open
     */
    public @Nullable Throwable failure(String scope) {
        Refresher opened = filters.get(scope);
        return opened == null ? null : opened.failure();
    }

    /**
     * Registers a listener for {@linkplain dev.fbf.core.memory.MappedFault faults} of refreshes.
     *
     * @param listener replaces the previous one; runs in the thread of the refreshes, and must be quick
     */
    public void onFault(Consumer<InternalError> listener) {
        onFault = listener;
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

    /**
     * Stops the refreshes, marks the filters' shutdown as clean and lets other processes in. Does nothing if it was
     * closed before: another process may own the files by then.
     */
    @Override
    public void close() {
        close(() -> {});
    }

    /**
     * Closes the directory, unless it was closed before.
     *
     * @param last runs when the filters are on the disk, before other processes are let in; not if they cannot be
     *     forced
     */
    public synchronized void close(Runnable last) {
        if (closed) {
            return;
        }
        closed = true;
        executor.shutdownNow(); // a filter that is being refreshed is closed after that
        RuntimeException failure = null;
        for (Refresher opened : filters.values()) {
            try {
                opened.filter().close();
            } catch (RuntimeException e) {
                failure = e;
            } catch (InternalError e) {
                failure = new IllegalStateException("a file of the filter failed", e);
            }
        }
        try {
            if (failure != null) {
                throw failure;
            }
            last.run();
        } finally {
            lock.close();
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
