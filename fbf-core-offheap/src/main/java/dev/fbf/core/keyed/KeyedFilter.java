package dev.fbf.core.keyed;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.FilterStore;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A forgetful Bloom filter of keys: remembers each key for a window from its last put, and forgets it after that.
 *
 * <p>With a false positive, a new key counts as put. The only other error is a lack of keys {@linkplain #incompleteFor() after a crash of
 * the machine}. Keys are hashed with the filter's secret, so that an attacker cannot construct different keys that count as equal.
 *
 * <p>Thread-safe. Checks take no lock; a put waits for another one if both keys share one of 64 locks. Once the filter is closed, all
 * methods that put or check throw an {@link IllegalStateException}.
 *
 * @param <K> the type of keys
 */
public final class KeyedFilter<K> implements AutoCloseable {

    /*
     * Put: lock the stripe of the key;  check;  put;  unlock
     *
     * Of two concurrent puts of one key, the second checks after the first has put, and finds the key in its current generation and arena.
     * Without a lock, the changed bits would not show which put was first: each put of a new key may set some of the bits, and each may
     * find the last one already set, by another key.
     */
    private static final int STRIPES_LOG2 = 6;

    private static final String NAME = "keys";

    private final Funnel<? super K> funnel;
    private final ForgetfulBloomFilter filter;
    private final FilterStore store;
    private final KeySink sink;
    private final Object[] stripes =
            Stream.generate(Object::new).limit(1 << STRIPES_LOG2).toArray();

    private KeyedFilter(Funnel<? super K> funnel, FilterStore store, ForgetfulBloomFilter filter) {
        this.funnel = funnel;
        this.store = store;
        this.filter = filter;
        sink = KeySink.of(filter.secret());
    }

    /**
     * Creates an empty off-heap filter, which is lost when the process ends.
     *
     * @param funnel the kind of keys
     * @param sizing the rate of new keys, the window, and the false positive probability
     * @return the filter, to be closed
     * @throws IllegalArgumentException as {@link FilterSizing#plan()} does
     * @throws StorageException if the off-heap memory is too small
     */
    public static <K> KeyedFilter<K> inMemory(Funnel<? super K> funnel, FilterSizing sizing) {
        return open(FilterStore.inMemory(true), funnel, sizing.plan());
    }

    /**
     * Opens a filter in a directory; creates the directory and the filter if they do not exist. Each put survives the death of the process,
     * even by {@code kill -9}. If the sizing has changed, new keys go to a second arena with the new sizing, and no key is lost. If both
     * arenas would exceed {@link FilterSizing#maxBytes()}, the old sizing stays in use.
     *
     * @param path a directory for this filter only
     * @param funnel the kind of keys, always the same
     * @param sizing the rate of new keys, the window, and the false positive probability
     * @return the filter, to be closed
     * @throws IllegalArgumentException as {@link FilterSizing#plan()} does
     * @throws StorageException if the directory is already open, in this process or another, or cannot be used; or a longer retry window
     *     would exceed the maximum size
     */
    public static <K> KeyedFilter<K> open(Path path, Funnel<? super K> funnel, FilterSizing sizing) {
        FilterPlan plan = sizing.plan(); // first: after a failure the directory must not stay locked
        return open(FilterStore.open(path), funnel, plan);
    }

    private static <K> KeyedFilter<K> open(FilterStore store, Funnel<? super K> funnel, FilterPlan plan) {
        try {
            return new KeyedFilter<>(funnel, store, store.filter(NAME, plan));
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    /**
     * Puts a key, and returns whether it is new. Of several concurrent puts of a new key, exactly one returns true; none does if the key is
     * a false positive.
     *
     * @return true if the key was definitely not put within the window; false if it was, or is a false positive
     */
    public boolean put(K key) {
        OperationId id = id(key);
        synchronized (stripes[(int) (id.high() >>> (Long.SIZE - STRIPES_LOG2))]) {
            boolean isNew = !filter.mightContain(id);
            filter.put(id);
            return isNew;
        }
    }

    /**
     * Checks whether a key was put within the window.
     *
     * @return false if it definitely was not; true if it was, or is a false positive
     */
    public boolean mightContain(K key) {
        return filter.mightContain(id(key));
    }

    /** {@return the statistics, as of now; a sample takes a millisecond or two} */
    public FilterStats stats() {
        return filter.stats();
    }

    /**
     * {@return how long the filter may still lack keys within their window, because the machine went down while it was open (detected on
     * Linux only); otherwise zero}
     */
    public Duration incompleteFor() {
        return filter.incompleteFor();
    }

    /**
     * {@return the error of the last attempt to refresh the filter, or else the reason why it exceeds its false positive probability
     * without growing; null if there is none. Until a refresh succeeds the filter forgets nothing, and has more and more false
     * positives}
     */
    public @Nullable Throwable failure() {
        return store.failure(NAME);
    }

    /** Closes the filter: stops its thread, and releases its directory if it has one. */
    @Override
    public void close() {
        store.close();
    }

    private OperationId id(K key) {
        KeySink own = sink.copy();
        funnel.funnel(key, own);
        return own.end();
    }
}
