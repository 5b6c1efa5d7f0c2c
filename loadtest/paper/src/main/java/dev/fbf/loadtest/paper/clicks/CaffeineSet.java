package dev.fbf.loadtest.paper.clicks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.fbf.core.OperationId;
import dev.fbf.loadtest.paper.Hash;
import java.util.concurrent.TimeUnit;

/**
 * An exact set on the heap: Caffeine with expiry after a window. Its maintenance runs in the thread that asks, so that its time is
 * seen; by default it runs on another one.
 */
final class CaffeineSet extends OneByOne {

    private static final long UNLIMITED = Long.MAX_VALUE;

    private final Cache<OperationId, Boolean> cache;
    private final long bytes;
    private long nanos;

    /** @param bytes what it takes, by a measurement of the heap */
    private CaffeineSet(long limit, long bytes) {
        this.bytes = bytes;
        Caffeine<Object, Object> builder = Caffeine.newBuilder()
                .expireAfterWrite(Demand.WINDOW)
                .ticker(() -> nanos)
                .executor(Runnable::run);
        if (limit != UNLIMITED) {
            builder = builder.maximumSize(limit);
        }
        cache = builder.build();
    }

    /** One that keeps all clicks of a window. */
    static CaffeineSet unlimited(Demand demand) {
        return new CaffeineSet(UNLIMITED, demand.clicks() * bytesOfClick(UNLIMITED, demand.clicks()));
    }

    /** One that takes no more than so much memory: beyond that it evicts what it takes for the least useful. */
    static CaffeineSet limited(Demand demand, long bytes) {
        long clicks = bytes / bytesOfClick(demand.clicks(), demand.clicks());
        return new CaffeineSet(clicks, bytes);
    }

    /** The growth of the heap by so many clicks, for each of them. */
    private static long bytesOfClick(long limit, long clicks) {
        return HeapGrowth.by(() -> {
                    CaffeineSet filled = new CaffeineSet(limit, 0);
                    for (long i = 0; i < clicks; i++) {
                        filled.isDuplicate(new OperationId(Hash.mix(i), i));
                    }
                    filled.cache.cleanUp();
                    return filled;
                })
                / clicks;
    }

    @Override
    public void advance(int slice) {
        nanos = TimeUnit.MILLISECONDS.toNanos(slice * Demand.SLICE_MILLIS);
    }

    @Override
    boolean isDuplicate(OperationId click) {
        return cache.asMap().putIfAbsent(click, Boolean.TRUE) != null;
    }

    @Override
    public long bytes() {
        return bytes;
    }
}
