package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Filters in off-heap memory that are lost when the process ends. {@code -XX:MaxDirectMemorySize} limits their total size. Thread-safe.
 */
public final class FilterMemory extends FilterStore {

    private final MachineClock clock = MachineClock.monotonic();

    /** Creates a store whose filters are refreshed from the beginning. */
    public FilterMemory() {
        this(true);
    }

    /**
     * Creates an empty store.
     *
     * @param started whether its filters are refreshed from the beginning; otherwise after {@link #start()}
     */
    public FilterMemory(boolean started) {
        super(started);
    }

    /** Starts the refreshes. After this, filters are no longer {@linkplain ForgetfulBloomFilter#restore restored}. */
    public void start() {
        startRefreshes();
    }

    /**
     * Reads a scope's filter that {@link AdaptiveFilter#writeTo} wrote. The ages of its operations continue from now.
     *
     * @return the filter, usable until this store is closed
     * @throws IOException if the stream cannot be read or is not such a filter
     */
    public AdaptiveFilter read(String scope, InputStream in) throws IOException {
        return add(scope, FilterStream.read(scope, in, FilterClock.of(clock)));
    }

    @Override
    AdaptiveFilter open(String scope, FilterPlan plan, long @Nullable [] secret) {
        try {
            return new AdaptiveFilter(scope, plan, new Arenas(secret), FilterClock.of(clock), List.of());
        } catch (OutOfMemoryError e) {
            throw new StorageException(
                    "The off-heap memory is too small for the filter of scope " + scope + ", which needs "
                            + (plan.bytes() >> 20) + " MB: " + e.getMessage() + ".",
                    "Raise -XX:MaxDirectMemorySize, whose default is the heap's maximum size, or lower the expected"
                            + " operations per second.",
                    e);
        }
    }

    @Override
    void release() {
        // the garbage collector releases the memory
    }

    @Override
    public String toString() {
        return "memory";
    }

    /** Arenas in off-heap memory, without files. */
    static final class Arenas implements ArenaStore {

        private final long[] secret;

        Arenas(long @Nullable [] secret) {
            this.secret = secret == null ? ProbeHash.randomSecret() : secret;
        }

        @Override
        public Arena create(FilterPlan plan, FilterClock clock) {
            Words words = MappedWords.allocate(plan.bytes() / Long.BYTES);
            Arena.initialize(plan, words, clock, secret);
            return new Arena(plan, words, clock);
        }

        @Override
        public void remove(Arena arena) {
            // there is no file
        }
    }
}
