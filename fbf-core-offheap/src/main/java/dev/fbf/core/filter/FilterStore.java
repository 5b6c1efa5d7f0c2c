package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.file.LockedDirectory;
import dev.fbf.core.plan.FilterPlan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Filters of one process, by scope: in the files of a directory that it uses exclusively, or in off-heap memory that is lost when the
 * process ends. A background thread refreshes them. Thread-safe.
 */
public final class FilterStore implements AutoCloseable {

    private final @Nullable LockedDirectory directory;
    private final MachineClock clock;
    private final ScheduledExecutorService executor = Refresher.executor("fbf-refresh");
    private final Map<String, Refresher> filters = new ConcurrentHashMap<>();
    private volatile Consumer<InternalError> onFault = fault -> {};
    private boolean closed;

    /** Whether filters are refreshed. */
    private boolean started;

    private FilterStore(@Nullable LockedDirectory directory, MachineClock clock, boolean started) {
        this.directory = directory;
        this.clock = clock;
        this.started = started;
    }

    /**
     * Opens a directory for exclusive use. Creates it if it does not exist.
     *
     * @return the store, which the caller closes
     * @throws StorageException as {@link LockedDirectory#open} does
     */
    public static FilterStore open(Path path) {
        return in(LockedDirectory.open(path));
    }

    static FilterStore open(Path path, MachineClock clock) {
        return new FilterStore(LockedDirectory.open(path), clock, true);
    }

    /** {@return a store in a directory, which it closes} */
    public static FilterStore in(LockedDirectory directory) {
        return new FilterStore(directory, MachineClock.monotonic(), true);
    }

    /**
     * Creates a store without files. {@code -XX:MaxDirectMemorySize} limits its total size.
     *
     * @param started whether its filters are refreshed from the beginning; otherwise after {@link #start()}
     */
    public static FilterStore inMemory(boolean started) {
        return new FilterStore(null, MachineClock.monotonic(), started);
    }

    /** Starts the refreshes. After this, filters are no longer {@linkplain ForgetfulBloomFilter#restore restored}. */
    public synchronized void start() {
        started = true;
        filters.values().forEach(Refresher::start);
    }

    /**
     * Opens a scope's filter. Creates it if it does not exist. If it does not {@linkplain FilterPlan#serves serve} the plan, new operations
     * go to a new arena once there is room, and the old one is checked until its window has passed.
     *
     * @param scope the scope's name, matching {@link OperationId#SCOPE}
     * @param plan the plan; ignored if the scope's filter is open already
     * @return the filter, usable until this store is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope's name is not allowed
     * @throws StorageException if the directory or a file in it cannot be used, or the filter does not fit on the disk, in the memory or in
     *     the maximum size
     * @throws IllegalStateException if this store was closed
     */
    public synchronized ForgetfulBloomFilter filter(String scope, FilterPlan plan) {
        if (!OperationId.SCOPE.matcher(scope).matches()) {
            throw new IllegalArgumentException("scope=" + scope + ": must match " + OperationId.SCOPE);
        }
        if (closed) {
            throw new IllegalStateException("the filters were closed");
        }
        Refresher known = filters.get(scope);
        if (known != null) {
            return known.filter();
        }
        ForgetfulBloomFilter filter =
                directory == null ? inMemory(scope, plan) : new ArenaFiles(directory.path(), scope, clock).open(plan);
        Refresher refresher = new Refresher(scope, filter, executor, fault -> onFault.accept(fault));
        filters.put(scope, refresher);
        if (started) {
            refresher.start();
        }
        return filter;
    }

    private ForgetfulBloomFilter inMemory(String scope, FilterPlan plan) {
        try {
            long[] secret = ProbeHash.randomSecret();
            return new ForgetfulBloomFilter(
                    scope, plan, (next, time) -> Arena.allocate(next, time, secret), FilterClock.of(clock), List.of());
        } catch (OutOfMemoryError e) {
            throw new StorageException(
                    "The off-heap memory is too small for the filter of scope " + scope + ", which needs "
                            + (plan.bytes() >> 20) + " MB: " + e.getMessage() + ".",
                    "Raise -XX:MaxDirectMemorySize, whose default is the heap's maximum size, or lower the expected"
                            + " operations per second.",
                    e);
        }
    }

    /**
     * Returns the error of the last attempt to refresh a scope's filter, or else the reason why it exceeds its false positive probability
     * without growing. Until a refresh succeeds the filter forgets nothing, and its false positive probability rises.
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

    /**
     * Stops the refreshes, marks the filters' shutdown as clean and releases the directory. Has no effect after the first call, because
     * another process may own the files by then.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        executor.shutdownNow(); // closing a filter waits for its running refresh
        try {
            filters.values().forEach(opened -> opened.filter().close());
        } finally {
            if (directory != null) {
                directory.close();
            }
        }
    }
}
