package dev.fbf.loadtest.harness.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.fbf.loadtest.harness.redis.RedisServer.Persistence;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisServerTest {

    @TempDir
    private Path directory;

    @Test
    void aProgramThatIsNotThereIsDoneWithout() throws Exception {
        String absent = directory.resolve("redis-server").toString();

        assertThat(RedisServer.start("redis", absent, directory, 1, Persistence.NONE))
                .isEmpty();
    }

    @Test
    void aProgramThatIsNoRedisIsNotDoneWithout() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();

        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.start("redis", java, directory, 1, Persistence.ALWAYS))
                .withMessageContaining("java ended with");
    }
}
