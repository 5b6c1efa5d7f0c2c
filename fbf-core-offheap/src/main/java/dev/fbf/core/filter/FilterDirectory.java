package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory with the filters of one process: the files of its scopes, and a lock that keeps other processes out. Where
 * it makes the directory, a {@code .gitignore} keeps that out of Git: files that are checked out again would take the
 * filters back to what they knew then.
 *
 * <p>A background thread refreshes the filters. Thread-safe.
 *
 * <p>This is the one owner of the lock, the thread and the mapped files, and closes them in the order in which they need
 * each other: the thread ends, then the files are marked as closed, then the lock goes.
 */
public final class FilterDirectory implements AutoCloseable {

    /** What a scope may be called: its filter's file has the same name. */
    public static final Pattern SCOPE = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    private static final Pattern HALF_MADE =
            Pattern.compile("(.+~[1-9][0-9]*\\.fbf|fbf\\.claims|fbf\\.log~[1-9][0-9]*)\\.new");

    private static final Logger log = LoggerFactory.getLogger(FilterDirectory.class);

    private final Path path;
    private final MachineClock clock;
    private final DirectoryLock lock;
    private final ScheduledExecutorService executor;
    private final Map<String, Opened> filters = new ConcurrentHashMap<>();
    private boolean closed;

    private record Opened(AdaptiveFilter filter, Refresher refresher) {}

    private FilterDirectory(Path path, MachineClock clock, DirectoryLock lock) {
        this.path = path;
        this.clock = clock;
        this.lock = lock;
        executor = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fbf-refresh");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Opens a directory for this process alone, and makes it if there is none.
     *
     * @param path the directory
     * @return the open directory, to be closed
     * @throws StorageException if another process has it open, or it cannot be made or written to
     */
    public static FilterDirectory open(Path path) {
        return open(path, MachineClock.monotonic());
    }

    static FilterDirectory open(Path path, MachineClock clock) {
        try {
            boolean isNew = Files.notExists(path);
            Files.createDirectories(path);
            if (isNew) {
                keepOutOfGit(path);
            }
            Path realPath = path.toRealPath();
            DirectoryLock lock = DirectoryLock.acquire(realPath);
            removeHalfMade(realPath);
            return new FilterDirectory(realPath, clock, lock);
        } catch (IOException e) {
            throw new StorageException(
                    "The directory " + path.toAbsolutePath() + " cannot be made or written to: " + e + ".",
                    "Give this user permission to write there, or choose another directory (property fbf.directory).",
                    e);
        }
    }

    /** Files that a process was making when it was killed. Whatever keeps them from being deleted is no reason to stop. */
    private static void removeHalfMade(Path locked) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(locked)) {
            for (Path entry : entries) {
                if (HALF_MADE.matcher(entry.getFileName().toString()).matches() && Files.isRegularFile(entry)) {
                    Files.delete(entry);
                    log.debug("Deleted {}, which a process was making when it ended.", entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            log.debug("Files that were left half-made in {} cannot be deleted.", locked, e);
        }
    }

    /** No filter needs the file: whatever keeps it from being written is no reason to stop. */
    private static void keepOutOfGit(Path made) {
        Path file = made.resolve(".gitignore");
        try {
            Files.writeString(file, "*\n", StandardOpenOption.CREATE_NEW);
        } catch (IOException e) {
            log.debug("The file {} cannot be written.", file, e);
        }
    }

    /**
     * Opens a scope's filter, and makes it if there is none. When the plan is another than last time, new operations
     * go to a new arena, and the old one is asked until its window has passed.
     *
     * @param scope the scope's name, matching {@link #SCOPE}
     * @param plan the plan; while the scope's filter is open, that of the first call counts
     * @return the filter, usable until this directory is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope has another name than it may have
     * @throws StorageException if a file is corrupt, truncated, foreign or newer, or the disk has no room
     * @throws IllegalStateException if this directory was closed
     */
    public ForgetfulBloomFilter filter(String scope, FilterPlan plan) {
        return filter(scope, plan, FilterLayout.NONE, filter -> {});
    }

    /**
     * Opens a scope's filter, and makes it if there is none, as {@link #filter(String, FilterPlan)} does. What a power failure
     * takes of it is {@linkplain ForgetfulBloomFilter#restore restored} from a log: a refresh waits for the disk, and the
     * filter is not {@linkplain ForgetfulBloomFilter#incompleteFor() incomplete} after a power failure that it met under the same
     * log.
     *
     * @param scope the scope's name, matching {@link #SCOPE}
     * @param plan the plan; while the scope's filter is open, that of the first call counts
     * @param log a number that no other log has, from 1 to 2<sup>48</sup> - 1; 0 if there is none
     * @param restore puts back what the log has, before the filter is returned; a process that dies in it leaves that to the next
     * @return the filter, usable until this directory is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope has another name than it may have
     * @throws StorageException if a file is corrupt, truncated, foreign or newer, or the disk has no room
     * @throws IllegalStateException if this directory was closed
     */
    public synchronized ForgetfulBloomFilter filter(
            String scope, FilterPlan plan, long log, Consumer<ForgetfulBloomFilter> restore) {
        if (!SCOPE.matcher(scope).matches()) {
            throw new IllegalArgumentException("scope=" + scope + ": must match " + SCOPE);
        }
        if (closed) {
            throw new IllegalStateException("the filter's directory was closed");
        }
        return filters.computeIfAbsent(scope, name -> {
                    AdaptiveFilter filter = ArenaFiles.open(path, name, plan, clock, log, restore);
                    Refresher refresher = new Refresher(name, filter, executor);
                    refresher.start();
                    return new Opened(filter, refresher);
                })
                .filter();
    }

    /**
     * Tells why a scope's filter could not be refreshed when that was last tried. It forgets nothing meanwhile, and
     * takes new operations for retries more often as time goes by.
     *
     * @param scope the scope's name
     * @return what was thrown; null if nothing was, or the scope is not open
     */
    public @Nullable Throwable failure(String scope) {
        Opened opened = filters.get(scope);
        return opened == null ? null : opened.refresher.failure();
    }

    /**
     * Returns where the files are.
     *
     * @return the directory's real path
     */
    public Path path() {
        return path;
    }

    /**
     * Returns what the machine's current start is known by.
     *
     * @return a number that no other start has; 0 where the machine does not tell
     */
    public long boot() {
        return clock.boot();
    }

    /**
     * Stops the refreshes, marks the filters' shutdown as clean and lets other processes in. Does nothing if it was closed
     * before: all that is another's by then.
     */
    @Override
    public void close() {
        close(() -> {});
    }

    /**
     * Closes it, unless it was closed before.
     *
     * @param last is run when the filters are on the disk, before other processes are let in; not if they cannot be forced
     */
    public synchronized void close(Runnable last) {
        if (closed) {
            return;
        }
        closed = true;
        executor.shutdownNow();
        awaitTermination();
        RuntimeException failure = null;
        for (Opened opened : filters.values()) {
            try {
                opened.filter.close();
            } catch (RuntimeException e) {
                failure = e;
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

    private void awaitTermination() {
        boolean interrupted = false;
        while (!executor.isTerminated()) {
            try {
                executor.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
