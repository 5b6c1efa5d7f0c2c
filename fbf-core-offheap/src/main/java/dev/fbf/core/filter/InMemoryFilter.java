package dev.fbf.core.filter;

import dev.fbf.core.memory.MappedWords;
import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * A filter off the heap without a file, for a scope whose operations are kept by a database: it is restored from there after each
 * start. Thread-safe.
 */
public final class InMemoryFilter implements AutoCloseable {

    private final AdaptiveFilter filter;
    private final Refresher refresher;
    private final ScheduledExecutorService executor;

    /**
     * Creates an empty filter, which does not forget until it is {@linkplain #start() started}.
     *
     * @param scope the scope's name, for the log
     */
    public InMemoryFilter(String scope, FilterPlan plan) {
        this(scope, plan, null);
    }

    /** Creates an empty filter with a secret; null for a random one. */
    public InMemoryFilter(String scope, FilterPlan plan, long @Nullable [] secret) {
        this(
                scope,
                new AdaptiveFilter(
                        scope, plan, new Memory(secret), FilterClock.of(MachineClock.monotonic()), List.of()));
    }

    InMemoryFilter(String scope, AdaptiveFilter filter) {
        this.filter = filter;
        executor = Refresher.executor("fbf-refresh-" + scope);
        refresher = new Refresher(scope, filter, executor);
    }

    /**
     * Reads a filter that {@link AdaptiveFilter#writeTo} wrote. Its ages count from now on.
     *
     * @throws IOException as {@code KeyedFilter.readFrom} does
     */
    public static InMemoryFilter read(String scope, InputStream in) throws IOException {
        return new InMemoryFilter(scope, FilterStream.read(scope, in, FilterClock.of(MachineClock.monotonic())));
    }

    /** {@return the filter, usable until this is closed} */
    public AdaptiveFilter filter() {
        return filter;
    }

    /** Begins to refresh the filter. Nothing is {@linkplain ForgetfulBloomFilter#restore restored} after this. */
    public void start() {
        refresher.start();
    }

    /** {@return the error of the last attempt to refresh the filter; null if there is none} */
    public @Nullable Throwable failure() {
        return refresher.failure();
    }

    /** Ends the refreshes. */
    @Override
    public void close() {
        executor.shutdownNow();
        filter.close();
    }

    /** The memory of dropped arenas is released by the collector. */
    static final class Memory implements ArenaStore {

        private final long[] secret;

        Memory(long @Nullable [] secret) {
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
