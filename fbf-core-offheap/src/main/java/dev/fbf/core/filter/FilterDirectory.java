package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.file.LockedDirectory;
import dev.fbf.core.plan.FilterPlan;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Filters stored in a directory that one process uses exclusively. Closing stops the refreshes, marks the files as closed, then releases
 * the directory. Thread-safe.
 */
public final class FilterDirectory extends FilterStore {

    private final LockedDirectory directory;
    private final MachineClock clock;

    private FilterDirectory(LockedDirectory directory, MachineClock clock) {
        super(true);
        this.directory = directory;
        this.clock = clock;
    }

    /**
     * Opens a directory for exclusive use. Creates it if it does not exist.
     *
     * @return the open directory, which the caller closes
     * @throws StorageException as {@link LockedDirectory#open} does
     */
    public static FilterDirectory open(Path path) {
        return open(path, MachineClock.monotonic());
    }

    static FilterDirectory open(Path path, MachineClock clock) {
        return new FilterDirectory(LockedDirectory.open(path), clock);
    }

    @Override
    AdaptiveFilter open(String scope, FilterPlan plan, long @Nullable [] secret) {
        return new ArenaFiles(path(), scope, clock).open(plan, secret);
    }

    /**
     * Checks that the directory is still locked.
     *
     * @throws InternalError if the lock file was deleted or moved
     */
    public void requireInPlace() {
        directory.requireInPlace();
    }

    @Override
    void release() {
        directory.close();
    }

    /** {@return the directory's real path} */
    public Path path() {
        return directory.path();
    }

    /** {@return whether the directory may be a copy of the one that the last process used} */
    public boolean isOnCopy() {
        return directory.isOnCopy();
    }

    @Override
    public String toString() {
        return path().toString();
    }
}
