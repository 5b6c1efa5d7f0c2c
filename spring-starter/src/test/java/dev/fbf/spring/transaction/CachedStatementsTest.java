package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.apache.tomcat.jdbc.pool.interceptor.StatementCache;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counters over a pool that keeps statements: one that is used again may name a connection that was returned long ago. */
@Timeout(30)
@ExtendWith(PostgresExtension.class)
class CachedStatementsTest {

    @ParameterizedTest
    @EnumSource
    void incrementsUseTheConnectionThatTheyHave(Mode mode, DataSource dataSource, @TempDir Path directory) {
        PoolProperties properties = new PoolProperties();
        properties.setDataSource(dataSource);
        properties.setJdbcInterceptors(StatementCache.class.getName());
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource(properties);
        try (CountingApp app = CountingApp.start(pool, directory, "fbf.mode=" + mode)) {
            SqlCounters counters = app.bean(SqlCounters.class);
            String name = UUID.randomUUID().toString();
            for (long i = 1; i <= 10; i++) {
                assertThat(counters.increment(IdempotencyKey.of(name + i), name, 1))
                        .isEqualTo(i);
                assertThat(counters.increment(IdempotencyKey.of(name + i), Map.of(name + "a", 1L, name + "b", 2L)))
                        .isEqualTo(Map.of(name + "a", i, name + "b", 2 * i));
                assertThat(counters.value(name)).hasValue(i);
            }
        } finally {
            pool.close();
        }
    }
}
