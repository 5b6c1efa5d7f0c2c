package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.loadtest.bench.guard.Services.Increments;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the contenders that are not ours do with a retry, and with an operation that failed. */
@Tag("slow")
class ContendersTest {

    @TempDir
    private static Path directory;

    private static BenchDatabase database;
    private static Optional<RedisServer> redis;

    @BeforeAll
    static void start() throws Exception {
        database = BenchDatabase.start(Path.of("..", "target", "postgres"), directory, 2, 1);
        redis = RedisServer.start("redis-server", directory.resolve("redis"), 2);
    }

    @AfterAll
    static void stop() throws Exception {
        redis.ifPresent(RedisServer::close);
        database.close();
    }

    @Test
    void theIdempotentReceiverDropsARetryAndForgetsTheKeyOfAnUpdateThatFailed() throws Exception {
        Increments increments = start(GuardContender.INTEGRATION);
        increments.increment(0, "sent twice");
        increments.increment(0, "sent twice");
        assertThat(database.counters(GuardContender.INTEGRATION)).containsExactly(1L);

        fail(GuardContender.INTEGRATION, increments, "fails once");
        increments.increment(0, "fails once");
        assertThat(database.counters(GuardContender.INTEGRATION)).containsExactly(2L);
    }

    @Test
    void redisDropsARetryAndLosesTheOperationOfAnUpdateThatFailed() throws Exception {
        assumeTrue(redis.isPresent(), "there is no redis-server here");
        assertThat(redis.orElseThrow().version()).startsWith("Redis ");
        Increments increments = start(GuardContender.REDIS);
        increments.increment(0, "sent twice");
        increments.increment(0, "sent twice");
        fail(GuardContender.REDIS, increments, "fails once");
        increments.increment(0, "fails once");

        assertThat(database.counters(GuardContender.REDIS)).containsExactly(1L);
    }

    private static Increments start(GuardContender contender) {
        return database.application(contender, redis.orElse(null), directory, Map.of());
    }

    /** Lets an UPDATE find no table. */
    private static void fail(GuardContender contender, Increments increments, String key) {
        String counters = contender.counters();
        JdbcTemplate jdbc = new JdbcTemplate(database.pool());
        jdbc.execute("ALTER TABLE " + counters + " RENAME TO hidden");
        assertThatException().isThrownBy(() -> increments.increment(0, key)).withStackTraceContaining(counters);
        jdbc.execute("ALTER TABLE hidden RENAME TO " + counters);
    }
}
