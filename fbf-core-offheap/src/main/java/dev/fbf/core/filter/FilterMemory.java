package dev.fbf.core.filter;

import dev.fbf.core.StorageException;
import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.io.IOException;
import java.io.InputStream;
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
    public FilterMemory() {
        this(true);
    }

    /**
     * Creates a store without filters.
     *
     * @param started whether its filters forget; else they do once the store is {@linkplain #start() started}
     */
    public FilterMemory(boolean started) {
        super(started);
    }

    /** Begins to refresh the filters. They are not {@linkplain ForgetfulBloomFilter#restore restored} after this. */
    public void start() {
        startRefreshes();
    }

    /**
     * Reads a scope's filter that {@link AdaptiveFilter#writeTo} wrote. Its ages count from now on.
     *
     * @return the filter, usable until this store is closed
     * @throws IOException as {@code KeyedFilter.readFrom} does
     */
    public AdaptiveFilter read(String scope, InputStream in) throws IOException {
        return add(scope, FilterStream.read(scope, in, FilterClock.of(clock)));
    }

    @Override
    AdaptiveFilter open(
            String scope, FilterPlan plan, long log, Consumer<ForgetfulBloomFilter> restore, long @Nullable [] secret) {
        try {
            return new AdaptiveFilter(scope, plan, new Arenas(secret), FilterClock.of(clock), List.of());
        } catch (OutOfMemoryError e) {
            throw new StorageException(
                    "The memory outside of the heap is too small for the filter of scope " + scope + ", which takes "
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

    /** The memory of dropped arenas is released by the collector. */
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
