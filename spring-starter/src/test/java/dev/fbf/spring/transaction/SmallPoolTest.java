package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.ProcessesTest;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.CannotCreateTransactionException;

/** A pool of one connection: nobody waits for another one while holding it, but for a bounded time. */
@Timeout(20)
@Tag("slow")
class SmallPoolTest extends ProcessesTest {

    private FragileDataSource fragile;
    private HikariDataSource pool;

    @BeforeEach
    void fill() {
        fragile = new FragileDataSource(dataSource);
        pool = Pools.of(fragile, 1);
        pool.setConnectionTimeout(500);
    }

    @AfterEach
    void drain() {
        pool.close();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void oneConnectionIsEnough(Mode mode) throws Exception {
        try (CountingApp app = start(mode)) {
            Counter counter = app.counter;
            assertThat(counter.count("a")).isEqualTo("counted");
            assertThat(counter.count("a")).isEqualTo("counted before: a");
            assertThat(counter.countTransactionally("b")).isEqualTo("counted");
            app.transaction.executeWithoutResult(status -> {
                assertThat(counter.count("a")).isEqualTo("counted before: a");
                assertThat(counter.count("c")).isEqualTo("counted");
            });
            counter.countAnd("d", () -> counter.count("e"));
            assertThat(counted.value()).isEqualTo(5);
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @Test
    void aCommitInDoubtIsSettledWithTheConnectionThatReplacesTheLostOne() {
        try (CountingApp app = start(Mode.FILTER)) {
            fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
            assertThat(app.counter.count("a")).isEqualTo("counted");
            fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
            assertThat(app.counter.countTransactionally("b")).isEqualTo("counted");
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(counted.value()).isEqualTo(2);
        }
    }

    @Test
    void whoeverHoldsTheConnectionWaitsForASettlementInVainButNotForEver() {
        try (CountingApp app = start(Mode.FILTER, "200ms")) {
            fragile.breakNextCommit(FragileDataSource.Fate.STUCK);
            assertUnavailable(() -> app.counter.count("a"));

            app.transaction.executeWithoutResult(status -> {
                fragile.endStuck(true);
                assertUnavailable(() -> app.counter.count("a"));
            });

            await().until(() -> app.status.inDoubt().size() == 0);
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void aPoolThatOthersHaveEmptiedRefusesAndFreesTheOperation(Mode mode) throws SQLException {
        try (CountingApp app = start(mode)) {
            try (Connection hog = pool.getConnection()) {
                assertThat(hog.isValid(1)).isTrue();
                assertUnavailable(() -> app.counter.count("a"))
                        .withCauseInstanceOf(CannotCreateTransactionException.class);
            }
            assertThat(app.counter.count("a")).isEqualTo("counted");
        }
    }

    private CountingApp start(Mode mode) {
        return start(mode, "10s");
    }

    private CountingApp start(Mode mode, String settleTimeout) {
        return CountingApp.start(pool, directory, "fbf.mode=" + mode, "test.settle-timeout=" + settleTimeout);
    }
}
