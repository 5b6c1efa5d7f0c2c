package dev.fbf.loadtest.bench.guard;

import org.springframework.jdbc.core.JdbcTemplate;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * What many teams do: Redis remembers the key for a while, and whoever set it first may go on. A crash between the two
 * servers' responses loses the operation.
 */
class RedisService {

    /** fbf's default. */
    private static final int WINDOW_SECONDS = 600;

    private final RedisClient redis;
    private final JdbcTemplate jdbc;
    private final String update;

    RedisService(RedisServer redis, JdbcTemplate jdbc, GuardContender contender) {
        this.redis = redis.client();
        this.jdbc = jdbc;
        update = BenchDatabase.update(contender);
    }

    void increment(int counter, String key) {
        if (redis.set(key, "", SetParams.setParams().nx().ex(WINDOW_SECONDS)) != null) {
            jdbc.update(update, counter);
        }
    }
}
