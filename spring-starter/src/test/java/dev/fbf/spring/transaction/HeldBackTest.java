package dev.fbf.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.core.DurationText;
import dev.fbf.db.FbfSchema;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.autoconfigure.Operator;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Clients learn why operations are held back, and for how long where that is known. */
@ExtendWith(PostgresExtension.class)
@Tag("slow")
class HeldBackTest {

    private static final String[] NODES = {"fbf.mode=filter", ConstantsOfTheTest.REGISTERED, "test.renewal=100ms"};

    @TempDir
    private Path directory;

    private DataSource dataSource;
    private JdbcClient jdbc;

    @BeforeEach
    void begin(EmbeddedPostgres postgres) {
        dataSource = PostgresExtension.newDatabase(postgres, "held_back");
        jdbc = JdbcClient.create(dataSource);
        FbfSchema.migrate(dataSource);
    }

    @Test
    void becauseOfAnotherProcess() throws Exception {
        jdbc.sql("""
                INSERT INTO fbf_lease
                SELECT 'held', other, other, 'process 42 on db17', true, 1, interval '598 seconds', clock_timestamp()
                FROM gen_random_uuid() AS other
                """).update();

        try (HttpApp app = HttpApp.start(dataSource, directory, Controller.class, NODES)) {
            HttpResponse<String> held = post(app);

            long seconds = held.headers().firstValueAsLong("Retry-After").orElseThrow();
            assertThat(seconds).isBetween(1L, 598L);
            assertProblem(
                    held,
                    "held-back",
                    "Operations are held back for " + DurationText.of(Duration.ofSeconds(seconds))
                            + ", because retries of operations that this process does not remember may still arrive.");
            assertThat(Operator.health(app).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(Operator.health(app).getDetails().get("obstacles"))
                    .asString()
                    .contains("operations are refused for ", "process 42 on db17");

            jdbc.sql("""
                    UPDATE fbf_lease SET run = other, node = other, ended = false,
                      seen_at = clock_timestamp() + interval '1 hour' FROM gen_random_uuid() AS other
                    """).update();
            await().until(() -> post(app).body().contains("Another process"));
            HttpResponse<String> elsewhere = post(app);

            assertProblem(elsewhere, "held-back", "Another process applies the operations of this scope.");
            assertThat(elsewhere.headers().firstValue("Retry-After")).hasValue("1");
            assertThat(Operator.health(app).getDetails().get("obstacles"))
                    .asString()
                    .contains("Another process applies them", "process 42 on db17");
        }
    }

    @Test
    void becauseTheOtherModeHasAppliedOperations() throws Exception {
        jdbc.sql(
                        "INSERT INTO fbf_scope VALUES ('held', 'ledger', interval '1 minute', clock_timestamp() + interval '598 seconds')")
                .update();

        try (HttpApp app = HttpApp.start(
                dataSource, directory, Controller.class, "fbf.mode=ledger", ConstantsOfTheTest.REGISTERED)) {
            HttpResponse<String> held = post(app);

            long seconds = held.headers().firstValueAsLong("Retry-After").orElseThrow();
            assertThat(seconds).isBetween(1L, 598L);
            assertProblem(
                    held,
                    "held-back",
                    "Operations are held back for " + DurationText.of(Duration.ofSeconds(seconds))
                            + ", because retries of operations that this process does not remember may still arrive.");
            assertThat(Operator.health(app).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(Operator.health(app).getDetails().get("obstacles"))
                    .asString()
                    .contains("operations are refused for ", "filter mode applied");
        }
    }

    @Test
    void becauseTheModeCannotBeRead() throws Exception {
        FragileDataSource down = new FragileDataSource(dataSource);
        down.cutOff();

        try (HttpApp app = HttpApp.start(
                down,
                directory,
                Controller.class,
                "fbf.mode=ledger",
                ConstantsOfTheTest.REGISTERED,
                "fbf.schema.migrate=false")) {
            assertThat(HttpApp.json(post(app)).path("type").asString())
                    .isEqualTo("tag:fbf.dev,2026:problem:unreachable");
            assertThat(Operator.health(app).getDetails().get("obstacles"))
                    .asString()
                    .contains("until the database confirms that the scope is in ledger mode");

            down.reconnect();
            await().until(() -> post(app).statusCode() == 200);
            await().until(() -> Operator.health(app).getStatus().equals(Status.UP));
        }
    }

    private static HttpResponse<String> post(HttpApp app) throws Exception {
        return app.post("/held", "Idempotency-Key", UUID.randomUUID().toString());
    }

    private static void assertProblem(HttpResponse<String> response, String type, String detail) {
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(HttpApp.json(response).path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:" + type);
        assertThat(HttpApp.json(response).path("detail").asString()).isEqualTo(detail + " Retry with the same key.");
    }

    @RestController
    static class Controller {

        @PostMapping("/held")
        @IdempotentIncrement(scope = "held")
        String count() {
            return "counted";
        }
    }
}
