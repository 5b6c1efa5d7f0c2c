package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Increments beside a transaction that changes their row, in a data source with a stricter isolation. */
@ExtendWith(PostgresExtension.class)
@Timeout(60)
class IsolationOfIncrementsTest {

    private static final String LONE_UPDATES_THAT_WAIT = "SELECT count(*) FROM pg_stat_activity"
            + " WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE%' AND datname = current_database()";

    @TempDir
    private Path directory;

    private final IdempotencyKey key = IdempotencyKey.of(UUID.randomUUID().toString());

    @BeforeEach
    void createPage(DataSource dataSource) {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DROP TABLE IF EXISTS page; CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL)")
                .update();
        jdbc.sql("INSERT INTO page VALUES ('home', 0)").update();
    }

    @ParameterizedTest
    @CsvSource({"LEDGER, REPEATABLE_READ", "LEDGER, SERIALIZABLE", "FILTER, REPEATABLE_READ", "FILTER, SERIALIZABLE"})
    void anIncrementThatCannotBeSerializedGets503AndItsRetryIsApplied(
            Mode mode, String isolation, DataSource dataSource) throws Exception {
        try (HikariDataSource pool = pool(dataSource, isolation);
                CountingApp app = CountingApp.start(pool, directory, "fbf.mode=" + mode)) {
            SqlCounters pages = pages(app);

            assertThat(incrementBesideAnother(pages, dataSource))
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withCauseInstanceOf(OperationUnavailableException.class);

            assertThat(pages.increment(key, "home", 1)).isEqualTo(2);
            assertThat(pages.increment(key, "home", 1)).isEqualTo(2);
        }
    }

    @Test
    void aRetryElsewhereThatCannotBeSerializedGetsTheValue(DataSource dataSource) throws Exception {
        try (CountingApp here = CountingApp.start(dataSource, directory, "fbf.mode=ledger")) {
            pages(here).increment(key, "home", 1);
        }
        try (HikariDataSource pool = pool(dataSource, "REPEATABLE_READ");
                CountingApp there = CountingApp.start(pool, directory, "fbf.mode=ledger")) {

            assertThat(incrementBesideAnother(pages(there), dataSource))
                    .succeedsWithin(Duration.ofSeconds(30))
                    .isEqualTo(2L);
        }
    }

    private static HikariDataSource pool(DataSource dataSource, String isolation) {
        HikariDataSource pool = Pools.of(dataSource, 4);
        pool.setTransactionIsolation("TRANSACTION_" + isolation);
        return pool;
    }

    private static SqlCounters pages(CountingApp app) {
        return app.bean(SqlCounters.Builder.class)
                .scope("page")
                .table("page", "name", "views")
                .build();
    }

    /** Increments in a group and then alone, beside a transaction that commits another increment meanwhile. */
    private CompletableFuture<Long> incrementBesideAnother(SqlCounters pages, DataSource dataSource) throws Exception {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        try (Connection other = dataSource.getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("UPDATE page SET views = views + 1");
            CompletableFuture<Long> increment = CompletableFuture.supplyAsync(() -> pages.increment(key, "home", 1));
            await().until(() ->
                    jdbc.sql(LONE_UPDATES_THAT_WAIT).query(Long.class).single() == 1);
            other.commit();
            return increment;
        }
    }
}
