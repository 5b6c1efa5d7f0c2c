package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A database that is emptied under an application that may create fbf's tables, as by Flyway's {@code clean} or a test's cleanup. */
@Tag("slow")
@ExtendWith(PostgresExtension.class)
class EmptiedDatabaseTest {

    @SuppressWarnings("NullAway.Init")
    private static DataSource database;

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    @BeforeAll
    static void start(EmbeddedPostgres postgres, @TempDir Path directory) {
        database = PostgresExtension.newDatabase(postgres, "emptied");
        CountedTable.makeIn(database);
        app = HttpApp.start(database, directory, WaysToCount.class, "fbf.mode=ledger");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/own", "/sql-only", "/outer", "/scope", "/batch", "/counter", "/sql-only-counter"})
    void theTablesAreCreatedAgainForTheNextOperation(String path) throws Exception {
        assertThat(post(path, "before-" + UUID.randomUUID()).statusCode()).isEqualTo(200);
        // as long as it deadlocks with statements in the background
        await().ignoreExceptions()
                .until(() -> JdbcClient.create(database)
                                .sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
                                .update()
                        == 0);
        CountedTable counted = CountedTable.makeIn(database);
        String key = UUID.randomUUID().toString();

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            HttpResponse<String> response = post(path, key);
            assertThat(response.statusCode()).as(response.body()).isIn(200, 503);
            return response.statusCode() == 200;
        });
        assertThat(post(path, key).statusCode()).isBetween(200, 204);
        long ofFbfsCounters = JdbcClient.create(database)
                .sql("SELECT coalesce(sum(value), 0) FROM fbf_counter")
                .query(Long.class)
                .single();
        assertThat(counted.value() + ofFbfsCounters).isEqualTo(1);
    }

    private static HttpResponse<String> post(String path, String key) throws Exception {
        return app.post(path, "Idempotency-Key", key);
    }
}
