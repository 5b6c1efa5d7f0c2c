package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.autoconfigure.Operator;
import dev.fbf.spring.jdbc.NodeStatus;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** A client that uses a key for more than one request, against a filter as it is by default. */
@ExtendWith(PostgresExtension.class)
class ReusedKeyTest {

    private static final String JSON = "application/json";

    @TempDir
    private Path directory;

    private final String key = HttpApp.MARKER + UUID.randomUUID();

    @TempDir
    private static Path ofAll;

    private static DataSource dataSource;
    private static JdbcClient jdbc;
    private static HttpApp plain;

    private HttpApp app;

    @BeforeAll
    static void startOneForAll(DataSource injected) {
        dataSource = injected;
        jdbc = JdbcClient.create(dataSource);
        jdbc.sql("DROP TABLE IF EXISTS page").update();
        jdbc.sql("CREATE TABLE page (name text PRIMARY KEY, views bigint NOT NULL)")
                .update();
        jdbc.sql("INSERT INTO page VALUES ('a', 0), ('b', 0)").update();
        plain = HttpApp.start(dataSource, ofAll, Pages.class, "fbf.responses.enabled=false");
    }

    @AfterAll
    static void stopThatOfAll() {
        plain.close();
        jdbc.sql("DROP TABLE page").update();
    }

    @BeforeEach
    void begin() {
        app = plain;
        jdbc.sql("UPDATE page SET views = 0").update();
    }

    @AfterEach
    void stop() {
        if (app != plain) {
            app.close();
        }
    }

    @Test
    void isRefusedForAnotherPage() throws Exception {
        assertThat(view("a").body()).isEqualTo("{\"page\":\"a\",\"views\":1}");

        HttpResponse<String> other = view("b");
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(other.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(HttpApp.json(other).path("type").asString()).endsWith(":idempotency-key-reused");
        assertThat(app.send("POST", "/pages/b/views", UUID.randomUUID().toString(), JSON, new byte[0])
                        .body())
                .isEqualTo("{\"page\":\"b\",\"views\":1}");
    }

    @Test
    void isReplayedForTheSameRequest() throws Exception {
        view("a");

        for (int retry = 0; retry < 3; retry++) {
            HttpResponse<String> replay = view("a");
            assertThat(replay.body()).isEqualTo("{\"page\":\"a\",\"views\":1}");
            assertThat(replay.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        }
        assertThat(views("a")).isEqualTo(1);
    }

    @Test
    void isRefusedForAnotherBodyQueryOrMethod() throws Exception {
        assertThat(order("POST", "/orders", "{\"pieces\":1}")).isEqualTo(200);

        assertThat(order("POST", "/orders", "{\"pieces\":2}")).isEqualTo(422);
        assertThat(order("POST", "/orders?gift=true", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(order("GET", "/orders", "")).isEqualTo(422);
        assertThat(order("POST", "/orders", "{\"pieces\":1}")).isEqualTo(204);
    }

    @Test
    void isRefusedForAnotherRequestByGet() throws Exception {
        assertThat(order("GET", "/orders?id=1", "")).isEqualTo(200);

        assertThat(order("GET", "/orders?id=2", "")).isEqualTo(422);
        assertThat(order("GET", "/orders?id=1", "")).isEqualTo(204);
    }

    /** A webhook that is delivered again: the event is the same, and the number of the attempt is not. */
    @Test
    void isReplayedForAnyRequestIfAnExpressionNamesIt() throws Exception {
        assertThat(order("POST", "/webhook", "{\"id\":\"" + key + "\",\"attempt\":1}"))
                .isEqualTo(200);
        assertThat(order("POST", "/webhook?again", "{\"id\":\"" + key + "\",\"attempt\":2}"))
                .isEqualTo(204);
    }

    @Tag("slow")
    @Test
    void isRefusedAfterARestartTooAndReplayedForAnyRequestIfThatIsAskedFor() throws Exception {
        restart();
        view("a");
        restart();

        assertThat(view("b").statusCode()).isEqualTo(422);
        assertThat(view("a").statusCode()).isEqualTo(200);
        assertThat(views("a")).isEqualTo(1);
        assertThat(views("b")).isZero();

        restart("fbf.fingerprint.enabled=false");

        assertThat(view("a").headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(view("b").headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(views("a")).isEqualTo(1);
    }

    /** What an application before this version left behind: nobody knows which requests its operations were of. */
    @Tag("slow")
    @Test
    void isReplayedForAnyRequestIfItWasUsedBeforeRequestsWereComparedAndComparedIfItIsUsedAfterThat() throws Exception {
        String later = UUID.randomUUID().toString();
        restart("fbf.fingerprint.enabled=false");
        assertThat(view("a").statusCode()).isEqualTo(200);
        restart();

        assertThat(view("a").headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(view("b").headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(views("a")).isEqualTo(1);
        assertThat(views("b")).isZero();
        assertThat(view("a", later).headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(view("a", later).statusCode()).isEqualTo(200);
        assertThat(view("b", later).statusCode()).isEqualTo(422);
    }

    @Test
    void takesNoMemoryInScopesWithoutKeysInTheHeader() {
        assertThat(app.bean(NodeStatus.class).all())
                .extracting(
                        ScopeClaims::scope,
                        guard -> guard.filter().plan().stated().requests())
                .contains(tuple("page-views", true), tuple("webhook", false));
    }

    @Test
    void stopsTheStartIfThereIsNoRoomForRequests(@TempDir Path other) {
        String[] room = {"fbf.expected-operations-per-second=1000", "fbf.max-size=5MB"};

        assertThatThrownBy(() -> HttpApp.start(dataSource, other, Pages.class, room))
                .hasMessageContaining("fbf.max-size")
                .hasStackTraceContaining("or less without requests: fbf.fingerprint.enabled=false");
        HttpApp.start(
                        dataSource,
                        directory.resolve("off"),
                        Pages.class,
                        room[0],
                        room[1],
                        "fbf.fingerprint.enabled=false")
                .close();
    }

    @Test
    void countsOperationsNotTheirRequests() throws Exception {
        for (int i = 0; i < 100; i++) {
            app.send("POST", "/pages/a/views", UUID.randomUUID().toString(), JSON, new byte[0]);
        }
        JsonNode report = Operator.report(app, "page-views");

        assertThat(report.path("approximateOperations").asLong()).isBetween(70L, 200L);
        assertThat(report.path("expectedOperationsPerSecond").asDouble()).isEqualTo(10);
    }

    private void restart(String... properties) {
        stop();
        String[] all = Stream.concat(Stream.of("fbf.responses.enabled=false"), Stream.of(properties))
                .toArray(String[]::new);
        app = HttpApp.start(dataSource, directory, Pages.class, all);
    }

    private HttpResponse<String> view(String page) throws Exception {
        return view(page, key);
    }

    private HttpResponse<String> view(String page, String itsKey) throws Exception {
        return app.send("POST", "/pages/" + page + "/views", itsKey, JSON, new byte[0]);
    }

    private int order(String method, String path, String body) throws Exception {
        String marked = body.replace("}", ",\"note\":\"" + HttpApp.MARKER + "\"}");
        return app.send(method, path, key, JSON, marked.getBytes(UTF_8)).statusCode();
    }

    private long views(String page) {
        return jdbc.sql("SELECT views FROM page WHERE name = ?")
                .param(page)
                .query(Long.class)
                .single();
    }

    @RestController
    static class Pages {

        private final JdbcClient jdbc;

        Pages(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/pages/{page}/views")
        @IdempotentIncrement(scope = "page-views", onDuplicate = "current")
        Views view(@PathVariable String page) {
            jdbc.sql("UPDATE page SET views = views + 1 WHERE name = ?")
                    .param(page)
                    .update();
            return current(page);
        }

        Views current(String page) {
            return jdbc.sql("SELECT name, views FROM page WHERE name = ?")
                    .param(page)
                    .query((row, number) -> new Views(row.getString(1), row.getLong(2)))
                    .single();
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        String order(@RequestBody String order) {
            return order;
        }

        @GetMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        String orderByLink(@RequestParam(defaultValue = "") String id) {
            return id;
        }

        @PostMapping("/webhook")
        @IdempotentIncrement(scope = "webhook", key = "#event.id")
        int receive(@RequestBody Event event) {
            return event.attempt();
        }
    }

    record Views(String page, long views) {}

    record Event(String id, int attempt) {}
}
