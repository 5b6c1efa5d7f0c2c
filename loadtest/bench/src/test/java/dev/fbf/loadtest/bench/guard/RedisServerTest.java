package dev.fbf.loadtest.bench.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.params.SetParams;

class RedisServerTest {

    @TempDir
    private Path directory;

    @Test
    void aProgramThatIsNotThereIsDoneWithout() throws Exception {
        String absent = directory.resolve("redis-server").toString();

        assertThat(RedisServer.start(absent, directory, 1)).isEmpty();
    }

    @Test
    void aProgramThatIsNoRedisIsNotDoneWithout() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();

        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.start(java, directory, 1))
                .withMessageContaining("java ended with");
    }

    @Test
    void theFirstToSetAKeyIsToldSo() throws Exception {
        Optional<RedisServer> started = RedisServer.start("redis-server", directory, 1);
        assumeTrue(started.isPresent(), "there is no redis-server here");
        try (RedisServer redis = started.orElseThrow()) {
            SetParams once = SetParams.setParams().nx().ex(60);

            assertThat(redis.client().set("key", "", once)).isEqualTo("OK");
            assertThat(redis.client().set("key", "", once)).isNull();
            assertThat(redis.version()).startsWith("Redis ");
        }
    }
}
