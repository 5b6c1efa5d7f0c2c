package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Two transaction managers that work on one database, over one data source or over a pool each. */
@ParameterizedClass
@MethodSource("modesAndPools")
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@SuppressWarnings("NullAway.Init") // set before the tests
class SharedDatabaseTest {

    private static final int CALLS = 120;
    private static final int THREADS = 8;

    @TempDir
    private static Path temporary;

    private static CountingApp app;
    private static CountedTable counted;
    private static HikariDataSource onePool;
    private static HikariDataSource otherPool;

    SharedDatabaseTest(Mode mode, int pools) {}

    static Stream<Arguments> modesAndPools() {
        return Stream.of(Mode.values()).flatMap(mode -> Stream.of(1, 2).map(pools -> Arguments.of(mode, pools)));
    }

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, int pools, DataSource database) {
        counted = CountedTable.makeIn(database);
        onePool = pool(database);
        otherPool = pools == 1 ? onePool : pool(database);
        Path directory = temporary.resolve(mode + "-" + pools);
        app = CountingApp.start(directory, new String[] {"fbf.mode=" + mode, "fbf.max-claims=16"}, context -> {
            context.registerBean("onePool", DataSource.class, () -> onePool);
            if (pools > 1) {
                context.registerBean("otherPool", DataSource.class, () -> otherPool);
            }
            context.registerBean(
                    "one",
                    PlatformTransactionManager.class,
                    () -> new JdbcTransactionManager(onePool),
                    (BeanDefinition definition) -> definition.setPrimary(true));
            context.registerBean(
                    "other", PlatformTransactionManager.class, () -> new JdbcTransactionManager(otherPool));
            context.registerBean(Counter.class, () -> new Counter(onePool));
            context.registerBean(Other.class, () -> new Other(otherPool));
        });
    }

    private static HikariDataSource pool(DataSource database) {
        HikariDataSource pool = Pools.of(database, THREADS);
        pool.setMinimumIdle(0);
        return pool;
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        onePool.close();
        otherPool.close();
    }

    @Test
    void everyOperationIsAppliedOnceWhicheverManagerAppliesIt(CapturedOutput output) throws Exception {
        Other other = app.bean(Other.class);
        ExecutorService callers = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < 2; round++) {
                List<Future<?>> calls = new ArrayList<>();
                for (int i = 0; i < CALLS; i++) {
                    String key = Integer.toString(i);
                    calls.add(callers.submit(
                            i % 3 == 0
                                    ? () -> app.counter.countSilently(key)
                                    : i % 3 == 1 ? () -> other.count(key) : () -> other.countInItsScope(key)));
                }
                for (Future<?> call : calls) {
                    call.get();
                }
                assertThat(counted.value()).isEqualTo(CALLS);
            }
        } finally {
            callers.shutdownNow();
        }

        assertThat(app.status.lostCommits()).isEmpty();
        assertThat(app.status.obstacles()).isEmpty();
        assertThat(output).doesNotContain(" ERROR ");
    }

    static class Other {

        private final JdbcClient jdbc;

        Other(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        /** In the scope of the first manager's methods. */
        @IdempotentIncrement(scope = "counter", key = "'other ' + #key", transactionManager = "other")
        void count(String key) {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        }

        @IdempotentIncrement(scope = "other", key = "#key", transactionManager = "other")
        void countInItsScope(String key) {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
        }
    }
}
