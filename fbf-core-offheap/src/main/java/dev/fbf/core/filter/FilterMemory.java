package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.plan.FilterPlan;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Filters off the heap that end with the process: for scopes whose operations a database remembers. Thread-safe. The memory is that of the
 * JVM's direct buffers, which {@code -XX:MaxDirectMemorySize} limits.
 */
public final class FilterMemory extends FilterStore {

    private final MachineClock clock = MachineClock.monotonic();

    /** Creates a store without filters. */
    public FilterMemory() {}

    @Override
    AdaptiveFilter open(
            String scope, FilterPlan plan, long log, Consumer<ForgetfulBloomFilter> restore, long @Nullable [] secret) {
        try {
            return new AdaptiveFilter(scope, plan, new InMemoryFilter.Memory(secret), FilterClock.of(clock), List.of());
        } catch (OutOfMemoryError e) {
            throw new StorageException(
                    "There is no room outside of the heap for the filter of scope " + scope + ", which takes "
                            + (plan.bytes() >> 20) + " MB: " + e.getMessage() + ".",
                    "Raise -XX:MaxDirectMemorySize, which is that of the heap unless it is set, or expect fewer operations per second.",
                    e);
        }
    }

    @Override
    void release() {
        // the collector releases the memory
    }

    @Override
    public String toString() {
        return "memory";
    }
}
