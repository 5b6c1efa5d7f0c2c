package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.loadtest.bench.Increments;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
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

    @BeforeAll
    static void start() throws Exception {
        List<GuardContender> all = List.of(GuardContender.values());
        database = BenchDatabase.start(Path.of("..", "target", "postgres"), directory, 2, 1, all, "redis-server");
    }

    @AfterAll
    static void stop() throws Exception {
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
    void aScriptCountsInRedisOnceForEachKeyAndWritesALog() throws Exception {
        assumeThat(database.suffices(GuardContender.REDIS_LUA_ALWAYS))
                .as("a redis-server")
                .isTrue();
        assertThat(database.servers().get("redis")).startsWith("Redis ");
        Increments increments = start(GuardContender.REDIS_LUA_ALWAYS);
        Map<String, Double> before = database.costs(GuardContender.REDIS_LUA_ALWAYS);
        increments.increment(0, "sent twice");
        increments.increment(0, "sent twice");
        increments.increment(0, "another");

        assertThat(database.counters(GuardContender.REDIS_LUA_ALWAYS)).containsExactly(2L);
        assertThat(database.costsSince(before, GuardContender.REDIS_LUA_ALWAYS, 3))
                .hasEntrySatisfying("walBytes", bytes -> assertThat(bytes).isPositive());
    }

    @Test
    void aPendingRowIsCompletedWithTheUpdateOrNotThereAtAll() throws Exception {
        Increments increments = start(GuardContender.PENDING_ROW);
        increments.increment(0, "sent twice");
        increments.increment(0, "sent twice");
        fail(GuardContender.PENDING_ROW, increments, "fails once");
        assertThat(new JdbcTemplate(database.pool())
                        .queryForList(
                                "SELECT key || ' ' || status FROM " + GuardContender.PENDING_ROW.keys(), String.class))
                .containsExactly("sent twice COMPLETED");

        increments.increment(0, "fails once");
        assertThat(database.counters(GuardContender.PENDING_ROW)).containsExactly(2L);
    }

    @Test
    void aGroupedUpsertCountsEachCallOfManyCallersAndTellsThemWhenItFailed() throws Exception {
        Increments increments = start(GuardContender.GROUPED_UPSERT);
        IntStream.range(0, 500).parallel().forEach(call -> increments.increment(0, "the same"));
        assertThat(database.counters(GuardContender.GROUPED_UPSERT)).containsExactly(500L);

        fail(GuardContender.GROUPED_UPSERT, increments, "the same");
        increments.increment(0, "the same");
        assertThat(database.counters(GuardContender.GROUPED_UPSERT)).containsExactly(501L);
    }

    private static Increments start(GuardContender contender) {
        return database.application(contender, directory, Map.of());
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
