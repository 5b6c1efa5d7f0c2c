package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.method.CallerOfTheTest;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;

/** A pool of two connections, one of which is for fbf: one operation at a time. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
@Timeout(60)
class PermitsOfCallsTest {

    @SuppressWarnings("NullAway.Init")
    private static HikariDataSource pool;

    @SuppressWarnings("NullAway.Init")
    private static CountingApp app;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    private CountedTable counted;

    @SuppressWarnings("UnusedVariable") // the application has it
    PermitsOfCallsTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        CountedTable.makeIn(dataSource);
        pool = Pools.of(dataSource, 2);
        pool.setConnectionTimeout(1_000);
        app = CountingApp.start(directory, new String[] {"fbf.mode=" + mode}, context -> {
            CountingApp.addTo(context, pool);
            CallerOfTheTest.addTo(context);
            context.registerBean(Waiting.class);
            context.registerBean(
                    DataSourcePoolMetadataProvider.class, () -> any -> new HikariDataSourcePoolMetadata(pool));
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        pool.close();
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
    }

    @AfterEach
    void release() {
        end.countDown();
    }

    @Test
    void aCallWithoutAPermitIsRefusedAfterTheTimeoutAndHoldsNoClaim() throws Exception {
        CompletableFuture<String> slow = hold("slow");

        assertThatThrownBy(() -> app.counter.count("a"))
                .isInstanceOfSatisfying(
                        OperationUnavailableException.class,
                        refusal -> assertThat(refusal.reason()).isEqualTo(OperationOutcome.NO_ROOM))
                .hasMessageContaining("hold all connections of the pool");
        end.countDown();

        assertThat(slow.get()).isEqualTo("held");
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void aRetryNeedsNone() throws Exception {
        assertThat(app.counter.count("a")).isEqualTo("counted");
        CompletableFuture<String> slow = hold("slow");

        assertThat(app.counter.count("a")).isEqualTo("counted before: a");
        assertThatThrownBy(() -> app.counter.pass("slow")).isInstanceOf(OperationInProgressException.class);

        end.countDown();
        assertThat(slow.get()).isEqualTo("held");
    }

    @Test
    void aCallInACallersTransactionNeedsNone() throws Exception {
        CompletableFuture<String> slow = hold("slow");

        app.transaction.executeWithoutResult(
                status -> assertThat(app.counter.count("a")).isEqualTo("counted"));

        end.countDown();
        assertThat(slow.get()).isEqualTo("held");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void aCallWithinAGuardedCallNeedsNone() throws Exception {
        app.counter.passAnd("a", () -> {
            assertThat(app.counter.countInNewTransaction("in its own")).isEqualTo("counted");
            assertThat(app.counter.count("in the same transaction")).isEqualTo("counted");
        });

        assertThat(counted.value()).isEqualTo(2);
        assertThat(app.counter.count("b")).isEqualTo("counted");
    }

    private void fail() {
        throw new IllegalStateException("fails");
    }

    @Test
    void aCallThatWaitsForTheSameOperationHoldsNone() throws Exception {
        CompletableFuture<String> slow = hold("slow");
        CompletableFuture<String> waiting = ConcurrentCall.startAndAwaitWaiting(
                () -> app.bean(Waiting.class).pass("slow"));
        end.countDown();
        assertThat(slow.get()).isEqualTo("held");

        assertThat(app.counter.count("a")).isEqualTo("counted");
        assertThat(waiting.get()).isEqualTo("passed before");
    }

    @Test
    void itIsReturnedWhateverBecomesOfTheCall() {
        for (int i = 0; i < 3; i++) {
            String key = "a" + i;
            assertThatThrownBy(() -> app.counter.countAnd(key, this::fail)).hasMessage("fails");
            assertThat(app.counter.count(key)).isEqualTo("counted");
            assertThat(app.counter.count(key)).isEqualTo("counted before: " + key);
        }
    }

    private CompletableFuture<String> hold(String key) throws InterruptedException {
        CompletableFuture<String> held = ConcurrentCall.start(() -> {
            app.counter.passAnd(key, () -> {
                entered.countDown();
                end.await();
            });
            return "held";
        });
        entered.await();
        return held;
    }

    static class Waiting {

        @IdempotentIncrement(
                scope = "counter",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                onDuplicate = "before",
                waitInProgress = "5s")
        String pass(String key) {
            return "passed";
        }

        String before(String key) {
            return "passed before";
        }
    }
}
