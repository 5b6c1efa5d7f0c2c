package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two processes in ledger mode, while another session has locked all tables of fbf that no operation is recorded in. */
@ExtendWith(PostgresExtension.class)
@Timeout(120)
@SuppressWarnings("NullAway.Init") // set before the tests
class LockedTablesTest {

    /** Longer than a statement waits for one of the locks: it fails, and the operation with it. */
    private static final Duration LOCKED = Duration.ofSeconds(4);

    private static DataSource database;
    private static CountedTable counted;
    private static List<CountingApp> processes;
    private long applied;

    @BeforeAll
    static void start(EmbeddedPostgres postgres, @TempDir Path directory) {
        database = PostgresExtension.newDatabase(postgres, "locked_tables");
        JdbcClient.create(database)
                .sql("ALTER DATABASE locked_tables SET lock_timeout = '3s'")
                .update();
        counted = CountedTable.makeIn(database);
        processes = List.of(start(directory.resolve("first")), start(directory.resolve("second")));
    }

    private static CountingApp start(Path directory) {
        return CountingApp.start(database, directory, "fbf.mode=ledger", ConstantsOfTheTest.REGISTERED);
    }

    @AfterAll
    static void stop() {
        processes.forEach(CountingApp::close);
    }

    @Test
    void operationsAndRetriesGoOnWithoutAnyOfThem() throws Exception {
        long before = total();
        useAllScopes();
        try (Connection session = database.getConnection();
                Statement statement = session.createStatement()) {
            session.setAutoCommit(false);
            statement.execute(
                    "LOCK TABLE " + String.join(", ", tablesWithoutOperations()) + " IN ACCESS EXCLUSIVE MODE");
            long end = System.nanoTime() + LOCKED.toNanos();
            while (System.nanoTime() < end) {
                useAllScopes();
                Thread.sleep(20);
            }
            session.rollback();
        }
        useAllScopes();
        assertThat(total()).isEqualTo(before + applied);
    }

    /** Each way to apply an operation, in each process, and its retry in the other one. */
    private void useAllScopes() throws SQLException {
        for (int i = 0; i < processes.size(); i++) {
            String key = UUID.randomUUID().toString();
            IdempotencyKey typed = IdempotencyKey.of(key);
            CountingApp here = processes.get(i);
            CountingApp there = processes.get(1 - i);

            assertThat(here.counter.count(key + 1)).isEqualTo("counted");
            assertThat(here.counter.countTransactionally(key + 2)).isEqualTo("counted");
            assertThat(here.counter.countInSqlOnly(key + 3)).isEqualTo("counted");
            here.transaction.executeWithoutResult(
                    status -> assertThat(here.counter.count(key + 4)).isEqualTo("counted"));
            assertThat(scope(here).execute(typed, () -> {})).isTrue();
            assertThat(scope(here).executeAll(List.of(key + 5), IdempotencyKey::of, fresh -> {}))
                    .isEqualTo(1);
            assertThat(here.bean(SqlCounters.class).increment(typed, key, 1)).isEqualTo(1);
            applied += 5;

            for (CountingApp any : List.of(here, there)) {
                for (int j = 1; j <= 4; j++) {
                    assertThat(any.counter.count(key + j)).isEqualTo("counted before: " + key + j);
                }
                assertThat(scope(any).execute(typed, () -> {})).isFalse();
                assertThat(scope(any).executeAll(List.of(key + 5), IdempotencyKey::of, fresh -> {}))
                        .isZero();
                assertThat(any.bean(SqlCounters.class).increment(typed, key, 1)).isEqualTo(1);
            }
        }
    }

    private static IdempotentScope scope(CountingApp app) {
        return app.bean(IdempotentOperations.class).scope("scope");
    }

    private static List<String> tablesWithoutOperations() {
        List<String> tables =
                JdbcClient.create(database).sql("""
                        SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'fbf\\_%'
                        AND relname NOT IN ('fbf_ledger', 'fbf_response', 'fbf_counter')
                        """).query(String.class).list();
        assertThat(tables).isNotEmpty();
        return tables;
    }

    private static long total() {
        return counted.value()
                + JdbcClient.create(database)
                        .sql("SELECT coalesce(sum(value), 0) FROM fbf_counter")
                        .query(Long.class)
                        .single();
    }
}
