package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Filters of one process, by scope: in the files of a directory, or in memory. A background thread refreshes them. Thread-safe. */
public abstract sealed class FilterStore implements AutoCloseable permits FilterDirectory, FilterMemory {

    private final ScheduledExecutorService executor = Refresher.executor("fbf-refresh");
    private final Map<String, Refresher> filters = new ConcurrentHashMap<>();
    private volatile Consumer<InternalError> onFault = fault -> {};
    private boolean closed;

    /** Whether filters are refreshed. */
    private boolean started;

    FilterStore(boolean started) {
        this.started = started;
    }

    /**
     * Opens a scope's filter. Creates it if it does not exist. If it does not {@linkplain FilterPlan#serves serve} the plan, new operations
     * go to a new arena once there is room, and the old one is checked until its window has passed.
     *
     * @param scope the scope's name, matching {@link OperationId#SCOPE}
     * @param plan the plan; ignored if the scope's filter is open already
     * @return the filter, usable until this store is closed; the same one for the same scope
     * @throws IllegalArgumentException if the scope's name is not allowed
     * @throws dev.fbf.core.StorageException if the directory or a file in it cannot be used, or the filter does not fit on the disk or in
     *     the maximum size
     * @throws IllegalStateException if this store was closed
     */
    public ForgetfulBloomFilter filter(String scope, FilterPlan plan) {
        return filter(scope, plan, null);
    }

    /** Opens a scope's filter as {@link #filter(String, FilterPlan)} does, with a secret, which must be that of its files; null for any. */
    public synchronized AdaptiveFilter filter(String scope, FilterPlan plan, long @Nullable [] secret) {
        if (!OperationId.SCOPE.matcher(scope).matches()) {
            throw new IllegalArgumentException("scope=" + scope + ": must match " + OperationId.SCOPE);
        }
        if (closed) {
            throw new IllegalStateException("the filters were closed");
        }
        Refresher known = filters.get(scope);
        return known == null ? add(scope, open(scope, plan, secret)) : known.filter();
    }

    final synchronized AdaptiveFilter add(String scope, AdaptiveFilter filter) {
        Refresher refresher = new Refresher(scope, filter, executor, fault -> onFault.accept(fault));
        filters.put(scope, refresher);
        if (started) {
            refresher.start();
        }
        return filter;
    }

    final synchronized void startRefreshes() {
        started = true;
        filters.values().forEach(Refresher::start);
    }

    abstract AdaptiveFilter open(String scope, FilterPlan plan, long @Nullable [] secret);

    /** Releases the directory. Runs last, even after failures. */
    abstract void release();

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
        release();
        if (failure != null) {
            throw failure;
        }
    }
}
