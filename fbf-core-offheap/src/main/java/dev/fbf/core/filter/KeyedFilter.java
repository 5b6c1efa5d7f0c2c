package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A forgetful Bloom filter of keys: remembers each key for a window from its last put, and forgets it after that. A key
 * is a number, text, bytes, or what a {@link Funnel} makes of an object; keys of different types are different keys.
 *
 * <p>A false positive takes a new key for one that was put. There are no other errors, whatever keys come: they are
 * hashed with the filter's secret, so that nobody can choose keys that are taken for each other.
 *
 * <p>Thread-safe. Checks take no lock; a put waits for another one if both keys share one of 64 locks. Once the filter
 * is closed, all methods that put, check or merge throw an {@link IllegalStateException}.
 */
public final class KeyedFilter implements AutoCloseable {

    /*
     * Put: lock the stripe of the key;  check;  put;  unlock
     *
     * Of two puts of one key the second checks after the first has put, and finds the key in whichever generation or
     * arena it is by then. Without a lock, the bits that a put sets do not tell: each of two puts of a new key may set
     * some, and each may find the last one set, by another key.
     */
    private static final int STRIPES_LOG2 = 6;

    private final AdaptiveFilter filter;
    private final Runnable close;
    private final Supplier<@Nullable Throwable> failure;
    private final KeySink sink;
    private final Object[] stripes =
            Stream.generate(Object::new).limit(1 << STRIPES_LOG2).toArray();

    private KeyedFilter(AdaptiveFilter filter, Runnable close, Supplier<@Nullable Throwable> failure) {
        this.filter = filter;
        this.close = close;
        this.failure = failure;
        sink = KeySink.of(filter.newest().secret());
    }

    /** Creates a filter that closes what it is opened on. */
    static KeyedFilter of(InMemoryFilter memory) {
        memory.start();
        return new KeyedFilter(memory.filter, memory::close, memory::failure);
    }

    /** Creates a filter that closes what it is opened on. */
    static KeyedFilter of(FilterDirectory directory, String name, AdaptiveFilter filter) {
        return new KeyedFilter(filter, directory::close, () -> directory.failure(name));
    }

    /**
     * Remembers a key from now on, and tells whether it is new. Of several puts of one key at the same time, exactly
     * one is told that it is new, but for a false positive, by which none is.
     *
     * @param key the key
     * @return true if it surely was not put within the window; false if it was, or by a false positive
     */
    public boolean put(long key) {
        return put(KeySink.NUMBER, key);
    }

    /**
     * Remembers a key as {@link #put(long)} does.
     *
     * @param key the key
     * @return whether it is new
     */
    public boolean put(byte[] key) {
        return put(sink.copy().put(key).end());
    }

    /**
     * Remembers a key as {@link #put(long)} does.
     *
     * @param key the key: its characters, whatever their class
     * @return whether it is new
     */
    public boolean put(CharSequence key) {
        return put(sink.copy().put(key).end());
    }

    /**
     * Remembers a key as {@link #put(long)} does.
     *
     * @param <T> the type of keys
     * @param key the key
     * @param funnel names its parts
     * @return whether it is new
     */
    public <T> boolean put(T key, Funnel<? super T> funnel) {
        return put(id(key, funnel));
    }

    /**
     * Puts keys in order, each as {@link #put(long)} does, in less time: their loads from memory overlap. Allocates a few
     * arrays for each call, and nothing for each key.
     *
     * @param keys the keys
     * @return for each whether it is new
     */
    public boolean[] putAll(long... keys) {
        return Batch.each(keys.length, numbers(keys), this::put);
    }

    /**
     * Puts keys as {@link #putAll(long...)} does.
     *
     * @param keys the keys
     * @return for each whether it is new
     */
    public boolean[] putAll(byte[]... keys) {
        return putAll(keys, (key, into) -> into.put(key));
    }

    /**
     * Puts keys as {@link #putAll(long...)} does.
     *
     * @param keys the keys
     * @return for each whether it is new
     */
    public boolean[] putAll(CharSequence... keys) {
        return putAll(keys, (key, into) -> into.put(key));
    }

    /**
     * Puts keys as {@link #putAll(long...)} does.
     *
     * @param <T> the type of keys
     * @param keys the keys
     * @param funnel names the parts of each
     * @return for each whether it is new
     */
    public <T> boolean[] putAll(T[] keys, Funnel<? super T> funnel) {
        return Batch.each(keys.length, objects(keys, funnel), this::put);
    }

    /**
     * Checks whether a key was put within the window.
     *
     * @param key the key
     * @return false if it surely was not; true if it was, or by a false positive
     */
    public boolean mightContain(long key) {
        return filter.mightContain(new OperationId(KeySink.NUMBER, key));
    }

    /**
     * Checks a key as {@link #mightContain(long)} does.
     *
     * @param key the key
     * @return whether it may have been put
     */
    public boolean mightContain(byte[] key) {
        return filter.mightContain(sink.copy().put(key).end());
    }

    /**
     * Checks a key as {@link #mightContain(long)} does.
     *
     * @param key the key
     * @return whether it may have been put
     */
    public boolean mightContain(CharSequence key) {
        return filter.mightContain(sink.copy().put(key).end());
    }

    /**
     * Checks a key as {@link #mightContain(long)} does.
     *
     * @param <T> the type of keys
     * @param key the key
     * @param funnel names its parts
     * @return whether it may have been put
     */
    public <T> boolean mightContain(T key, Funnel<? super T> funnel) {
        return filter.mightContain(id(key, funnel));
    }

    /**
     * Checks keys in less time than one after another takes, and allocates as {@link #putAll(long...)} does.
     *
     * @param keys the keys
     * @return for each whether it may have been put
     */
    public boolean[] mightContainAll(long... keys) {
        return Batch.each(keys.length, numbers(keys), filter::find);
    }

    /**
     * Checks keys as {@link #mightContainAll(long...)} does.
     *
     * @param keys the keys
     * @return for each whether it may have been put
     */
    public boolean[] mightContainAll(byte[]... keys) {
        return mightContainAll(keys, (key, into) -> into.put(key));
    }

    /**
     * Checks keys as {@link #mightContainAll(long...)} does.
     *
     * @param keys the keys
     * @return for each whether it may have been put
     */
    public boolean[] mightContainAll(CharSequence... keys) {
        return mightContainAll(keys, (key, into) -> into.put(key));
    }

    /**
     * Checks keys as {@link #mightContainAll(long...)} does.
     *
     * @param <T> the type of keys
     * @param keys the keys
     * @param funnel names the parts of each
     * @return for each whether it may have been put
     */
    public <T> boolean[] mightContainAll(T[] keys, Funnel<? super T> funnel) {
        return Batch.each(keys.length, objects(keys, funnel), filter::find);
    }

    /** {@return the plan of its newest arena} */
    public FilterPlan plan() {
        return filter.plan();
    }

    /** {@return the statistics, as of now; a sample takes a millisecond or two} */
    public FilterStats stats() {
        return filter.stats();
    }

    /**
     * {@return for how long the filter may still lack keys within their window, after the machine went down while it was
     * open; zero if it lacks none}
     */
    public Duration incompleteFor() {
        return filter.incompleteFor();
    }

    /**
     * {@return the error of the last attempt to refresh the filter; null if there is none. Until a refresh succeeds the
     * filter forgets nothing, and its false positive probability rises}
     */
    public @Nullable Throwable failure() {
        return failure.get();
    }

    /** Closes the filter: ends its thread, and lets other processes open its directory, if it has one. */
    @Override
    public void close() {
        close.run();
    }

    private <T> OperationId id(T key, Funnel<? super T> funnel) {
        KeySink own = sink.copy();
        funnel.funnel(key, own);
        return own.end();
    }

    private static Batch.Source numbers(long[] keys) {
        return (i, batch) -> batch.add(KeySink.NUMBER, keys[i]);
    }

    private <T> Batch.Source objects(T[] keys, Funnel<? super T> funnel) {
        KeySink own = sink.copy();
        return (i, batch) -> {
            funnel.funnel(keys[i], own);
            own.end(batch);
        };
    }

    private long put(Batch batch) {
        filter.touch(batch);
        long isNew = 0;
        for (int i = 0; i < batch.size; i++) {
            isNew |= put(batch.high[i], batch.low[i]) ? 1L << i : 0;
        }
        return isNew;
    }

    private boolean put(OperationId id) {
        return put(id.high(), id.low());
    }

    private boolean put(long high, long low) {
        synchronized (stripes[(int) (ProbeHash.number(high ^ low, 0) >>> (Long.SIZE - STRIPES_LOG2))]) {
            boolean isNew = !filter.mightContain(high, low);
            filter.put(high, low);
            return isNew;
        }
    }
}
