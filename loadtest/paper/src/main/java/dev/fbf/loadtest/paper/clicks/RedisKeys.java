package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;
import dev.fbf.loadtest.harness.redis.RedisServer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;

/**
 * Redis with a key for each click, which expires: {@code SET key 1 NX PX window}, many at a time over one connection. Keys are the
 * 16 bytes of the id, shorter than most. A click is a duplicate if its key is there.
 *
 * <p>Redis lives in the machine's time: the stream must come at a pace that makes the window as long as stated here.
 */
final class RedisKeys implements Contender {

    private static final byte[] ONE = {'1'};
    private static final int PIPELINE = 1_000;
    private static final long UNLIMITED = 0;

    private final RedisServer server;
    private final SetParams onceInWindow;
    private final long empty;
    private long most;

    private RedisKeys(RedisServer server, Duration window, long limit) {
        this.server = server;
        onceInWindow = SetParams.setParams().nx().px(window.toMillis());
        server.client().flushAll();
        empty = server.memoryBytes();
        if (limit != UNLIMITED) {
            // those that expire first are evicted first: no policy misses fewer duplicates
            server.client().configSet("maxmemory-policy", "volatile-ttl");
            server.client().configSet("maxmemory", Long.toString(empty + limit));
        }
    }

    static RedisKeys unlimited(RedisServer server, Duration window) {
        return new RedisKeys(server, window, UNLIMITED);
    }

    /** @param bytes the limit, beside what an empty Redis takes */
    static RedisKeys limited(RedisServer server, Duration window, long bytes) {
        return new RedisKeys(server, window, bytes);
    }

    /** Redis forgets by itself. */
    @Override
    public void advance(int slice) {}

    @Override
    public void decide(OperationId[] clicks, int from, int to, boolean[] duplicate) {
        for (int begin = from; begin < to; begin += PIPELINE) {
            decideAtOnce(clicks, begin, Math.min(begin + PIPELINE, to), duplicate);
        }
    }

    private void decideAtOnce(OperationId[] clicks, int from, int to, boolean[] duplicate) {
        List<Response<String>> responses = new ArrayList<>(to - from);
        try (AbstractPipeline pipeline = server.client().pipelined()) {
            for (int i = from; i < to; i++) {
                byte[] key = ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(clicks[i].high())
                        .putLong(clicks[i].low())
                        .array();
                responses.add(pipeline.set(key, ONE, onceInWindow));
            }
            pipeline.sync();
        }
        for (int i = from; i < to; i++) {
            duplicate[i] = isDuplicate(responses.get(i - from));
        }
    }

    private static boolean isDuplicate(Response<String> response) {
        try {
            return response.get() == null;
        } catch (JedisDataException noMemoryLeft) {
            return false; // the click is let through, and not remembered
        }
    }

    /** The most that it has taken when it was asked, without what it takes while it is empty. */
    @Override
    public long bytes() {
        most = Math.max(most, server.memoryBytes() - empty);
        return most;
    }
}
