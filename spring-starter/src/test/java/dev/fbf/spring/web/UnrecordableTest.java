package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.autoconfigure.Operator;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A database that refuses fbf's own statements while the application runs, and lets them be executed again later. */
@Tag("slow")
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@ParameterizedClass
@EnumSource(value = Mode.class, names = "FILTER") // ledger mode: FailingStatementsTest
class UnrecordableTest {

    private static final String LOGGED = "Operations cannot be recorded in the database";
    private static final String[] PATHS = {
        "/own", "/transactional", "/sql-only", "/outer", "/scope", "/counter", "/annotated-counter"
    };

    @SuppressWarnings("NullAway.Init")
    private static JdbcClient owner;

    @SuppressWarnings("NullAway.Init")
    private static CountedTable counted;

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    @SuppressWarnings("UnusedVariable") // the application has it
    UnrecordableTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, EmbeddedPostgres postgres, @TempDir Path directory) {
        DataSource owners = PostgresExtension.newDatabase(postgres, "unrecordable");
        owner = JdbcClient.create(owners);
        FbfSchema.migrate(owners, "own");
        counted = CountedTable.makeIn(owners);
        owner.sql("""
                CREATE ROLE counting LOGIN;
                GRANT ALL ON counted TO counting;
                GRANT USAGE ON SCHEMA own TO counting;
                GRANT ALL ON ALL TABLES IN SCHEMA own TO counting
                """).update();
        app = HttpApp.start(
                postgres.getDatabase("counting", "unrecordable"),
                directory,
                WaysToCount.class,
                "fbf.mode=" + mode,
                "fbf.schema.migrate=false",
                "fbf.schema.name=own",
                HttpApp.SILENT_FAILURES);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        owner.sql("DROP OWNED BY counting; DROP ROLE counting").update();
    }

    private enum Fault {
        RIGHTS_REVOKED(
                "REVOKE ALL ON ALL TABLES IN SCHEMA own FROM counting",
                "GRANT ALL ON ALL TABLES IN SCHEMA own TO counting",
                "not granted on"),
        SCHEMA_REVOKED(
                "REVOKE ALL ON SCHEMA own FROM counting",
                "GRANT USAGE ON SCHEMA own TO counting",
                "permission denied for schema own"),
        RENAMED("ALTER SCHEMA own RENAME TO other", "ALTER SCHEMA other RENAME TO own", "own"),
        TABLES_RENAMED(
                "ALTER TABLE own.fbf_witness RENAME TO witness; ALTER TABLE own.fbf_ledger RENAME TO ledger",
                "ALTER TABLE own.witness RENAME TO fbf_witness; ALTER TABLE own.ledger RENAME TO fbf_ledger",
                "own.fbf_"),
        READ_ONLY(
                "ALTER ROLE counting SET default_transaction_read_only = on",
                "ALTER ROLE counting RESET default_transaction_read_only",
                "the database is read-only");

        private final String begins;
        private final String ends;
        private final String said;

        Fault(String begins, String ends, String said) {
            this.begins = begins;
            this.ends = ends;
            this.said = said;
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesUntilItIsOverAndSaysWhyOnce(Fault fault, CapturedOutput output) throws Exception {
        String key = UUID.randomUUID().toString();
        long before = total();
        owner.sql(fault.begins).update();
        for (String path : PATHS) {
            assertRefused(app.post(path, "Idempotency-Key", key + path), path);
            Health health = Operator.health(app);
            assertThat(health.getStatus()).as(path).isEqualTo(Status.DOWN);
            assertThat(health.getDetails().get("obstacles")).asString().contains(fault.said);
        }
        assertThat(output.getAll().split(LOGGED, -1)).hasSize(2);
        owner.sql(fault.ends).update();

        for (String path : PATHS) {
            assertThat(app.post(path, "Idempotency-Key", key + path).statusCode())
                    .as(path)
                    .isEqualTo(200);
            assertThat(app.post(path, "Idempotency-Key", key + path).statusCode())
                    .as(path)
                    .isBetween(200, 204);
        }
        assertThat(total()).isEqualTo(before + PATHS.length);
        await().until(() -> Operator.health(app).getStatus().equals(Status.UP));
    }

    @Test
    void whatIsWrongWithTheApplicationsOwnTablesIsItsOwnError(CapturedOutput output) throws Exception {
        owner.sql("ALTER TABLE counted RENAME TO other").update();
        try {
            for (String path : new String[] {"/own", "/transactional", "/outer", "/scope"}) {
                assertThat(app.post(path, "Idempotency-Key", UUID.randomUUID().toString())
                                .statusCode())
                        .as(path)
                        .isEqualTo(500);
            }
        } finally {
            owner.sql("ALTER TABLE other RENAME TO counted").update();
        }
        assertThat(output).doesNotContain(LOGGED);
        assertThat(Operator.health(app).getStatus()).isEqualTo(Status.UP);
    }

    private static void assertRefused(HttpResponse<String> response, String path) {
        assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(HttpApp.json(response).path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:unreachable");
        assertThat(HttpApp.json(response).path("detail").asString())
                .isEqualTo("The database does not accept records of operations now, so the operation was not applied."
                        + " Retry with the same key.");
    }

    private static long total() {
        return counted.value()
                + owner.sql("SELECT count(*) FROM own.fbf_counter")
                        .query(Long.class)
                        .single();
    }
}
