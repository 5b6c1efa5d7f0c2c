package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What a client gets while fbf's own statement fails, for one reason or another, and once it succeeds again. */
@Tag("slow")
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@ParameterizedClass
@EnumSource(Mode.class)
class FailingStatementsTest {

    private static final List<String> PATHS = List.of("/own", "/sql-only", "/outer", "/batch", "/counter");

    /** The role of the application: its statements do not wait for a lock any longer. */
    private static final String IMPATIENT = "ALTER ROLE failing SET lock_timeout = '100ms'";

    @SuppressWarnings("NullAway.Init")
    private static DataSource owners;

    @SuppressWarnings("NullAway.Init")
    private static JdbcClient owner;

    @SuppressWarnings("NullAway.Init")
    private static CountedTable counted;

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    private static Mode mode = Mode.LEDGER;

    private final String key = UUID.randomUUID().toString();
    private long before;

    @SuppressWarnings("UnusedVariable") // the application has it
    FailingStatementsTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode tested, EmbeddedPostgres postgres, @TempDir Path directory) {
        mode = tested;
        owners = PostgresExtension.newDatabase(postgres, "failing");
        owner = JdbcClient.create(owners);
        FbfSchema.migrate(owners, "own");
        counted = CountedTable.makeIn(owners);
        owner.sql("""
                CREATE ROLE failing LOGIN;
                GRANT ALL ON counted TO failing;
                GRANT USAGE ON SCHEMA own TO failing;
                GRANT ALL ON ALL TABLES IN SCHEMA own TO failing;
                CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
                CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS
                  $$ BEGIN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END $$
                """).update();
        app = HttpApp.start(
                postgres.getDatabase("failing", "failing"),
                directory,
                WaysToCount.class,
                "fbf.mode=" + mode,
                "fbf.schema.migrate=false",
                "fbf.schema.name=own",
                AbsentLibraries.NONE,
                "management.endpoint.health.show-components=always");
        for (String path : PATHS) {
            assertServed(post(path, "opens-the-scope"));
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
        owner.sql("DROP OWNED BY failing; DROP ROLE failing").update();
    }

    private enum Fault {
        LOCKED_FOR_ALL(
                IMPATIENT, "LOCK TABLE own.{table} IN ACCESS EXCLUSIVE MODE", "ALTER ROLE failing RESET ALL", false),
        NO_SPACE(
                "CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON own.{table} FOR EACH ROW EXECUTE FUNCTION no_space()",
                null,
                "DROP TRIGGER fail ON own.{table}",
                true),
        SCHEMA_REVOKED("REVOKE ALL ON SCHEMA own FROM failing", null, "GRANT USAGE ON SCHEMA own TO failing", false),
        READ_ONLY(
                "ALTER ROLE failing SET default_transaction_read_only = on",
                null,
                "ALTER ROLE failing RESET default_transaction_read_only",
                true),
        DROPPED(
                "CREATE TABLE saved (LIKE own.{table} INCLUDING ALL); INSERT INTO saved SELECT * FROM own.{table};"
                        + " DROP TABLE own.{table}",
                null,
                "ALTER TABLE saved SET SCHEMA own; ALTER TABLE own.saved RENAME TO {table};"
                        + " GRANT ALL ON own.{table} TO failing",
                false),
        CONFLICT(
                "CREATE TRIGGER fail BEFORE INSERT OR UPDATE ON own.{table} FOR EACH ROW EXECUTE FUNCTION conflict()",
                null,
                "DROP TRIGGER fail ON own.{table}",
                true);

        private final String begins;

        /** Executed by a session that stays. */
        private final @Nullable String lock;

        private final String ends;

        /** Whether what was applied can be looked up. */
        private final boolean readable;

        Fault(String begins, @Nullable String lock, String ends, boolean readable) {
            this.begins = begins;
            this.lock = lock;
            this.ends = ends;
            this.readable = readable;
        }

        /** A conflict in filter mode is one of the caller's transaction, which it may repeat. */
        static Stream<Fault> all() {
            return Stream.of(values()).filter(fault -> fault != CONFLICT || mode == Mode.LEDGER);
        }

        /** The filter knows what was applied without the database; a counter's value is read in the schema. */
        boolean isReadable(String path) {
            return readable || (mode == Mode.FILTER && !(path.equals("/counter") && name().startsWith("SCHEMA")));
        }

        private static String in(String sql) {
            return sql.replace("{table}", mode == Mode.LEDGER ? "fbf_ledger" : "fbf_witness");
        }

        /** The types of problem that the path may respond with: a counter whose group cannot tell whose lock it was has no room. */
        List<String> problems(String path) {
            Stream<String> types = this == CONFLICT
                    ? Stream.of("no-room")
                    : lock != null && path.contains("counter")
                            ? Stream.of("unreachable", "no-room")
                            : Stream.of("unreachable");
            return types.map("tag:fbf.dev,2026:problem:"::concat).toList();
        }

        void during(Requests requests) throws Exception {
            owner.sql(in(begins)).update();
            try (Connection session = owners.getConnection();
                    Statement statement = session.createStatement()) {
                session.setAutoCommit(false);
                statement.execute(lock == null ? "SELECT 1" : in(lock));
                requests.send();
                session.rollback();
            } finally {
                owner.sql(in(ends)).update();
            }
        }
    }

    private interface Requests {
        void send() throws Exception;
    }

    private static Stream<Fault> faults() {
        return Fault.all();
    }

    @BeforeEach
    void takeTheTotal() {
        before = total();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aNewOperationIsRefusedUntilALaterRetryAndARetryIsNoServerErrorAndTheLogHasOneLine(
            Fault fault, CapturedOutput output) throws Exception {
        String applied = UUID.randomUUID().toString();
        PATHS.forEach(path -> assertServed(post(path, applied)));

        int beginning = output.getAll().length();
        fault.during(() -> {
            for (String path : PATHS) {
                assertRefused(post(path, key), fault, path);
                HttpResponse<String> retry = post(path, applied);
                if (fault.isReadable(path)) {
                    assertServed(retry);
                } else {
                    assertRefused(retry, fault, path);
                }
            }
            assertThat(total()).isEqualTo(before + PATHS.size());
        });

        assertThat(output.getAll().substring(beginning).lines())
                .noneMatch(line -> line.startsWith("\tat "))
                .filteredOn(line -> line.contains(" WARN ") || line.contains("ERROR "))
                // of the purge, and of the responses to what was applied before
                .filteredOn(line -> !line.contains("cannot be purged") && !line.contains("Responses cannot be"))
                .hasSizeLessThanOrEqualTo(1);
        for (String path : PATHS) {
            List.of(key, applied, key).forEach(each -> assertServed(post(path, each)));
        }
        assertThat(total()).isEqualTo(before + PATHS.size() + PATHS.size());
    }

    /** A request that only reads succeeds. */
    @Test
    void theHealthIsDownWhileTheDatabaseIsReadOnlyAndUpAfterIt() throws Exception {
        Fault.READ_ONLY.during(() -> await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> {
                    post("/own", UUID.randomUUID().toString());
                    assertThat(health()).isEqualTo("DOWN");
                }));

        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertServed(post("/own", key));
            assertThat(health()).isEqualTo("UP");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/own", "/sql-only", "/outer"})
    void aFailureOfTheApplicationsOwnTablesIsItsOwn(String path, CapturedOutput output) throws Exception {
        int beginning = output.getAll().length();
        owner.sql("ALTER TABLE counted RENAME TO other").update();
        try {
            assertThat(post(path, key).statusCode()).isEqualTo(500);
        } finally {
            owner.sql("ALTER TABLE other RENAME TO counted").update();
        }

        assertThat(output.getAll().substring(beginning)).doesNotContain("cannot be recorded");
        assertThat(health()).isEqualTo("UP");
    }

    private static HttpResponse<String> post(String path, String key) {
        try {
            return app.post(path, "Idempotency-Key", key);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertServed(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isBetween(200, 204);
    }

    private static void assertRefused(HttpResponse<String> response, Fault fault, String path) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(HttpApp.json(response).path("type").asString()).isIn(fault.problems(path));
    }

    private static String health() throws Exception {
        return HttpApp.json(app.get("/actuator/health", "application/json"))
                .path("components")
                .path("fbf")
                .path("status")
                .asString();
    }

    private static long total() {
        return counted.value()
                + owner.sql("SELECT coalesce(sum(value), 0) FROM own.fbf_counter")
                        .query(Long.class)
                        .single();
    }
}
