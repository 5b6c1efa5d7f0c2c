package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.SqlCounters;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import tools.jackson.databind.JsonNode;

/** Over real HTTP, with a real PostgreSQL behind. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class HttpContractTest {

    @TempDir
    private static Path directory;

    private static HttpApp app;
    private static Counters counters;
    private static String log = "";

    @BeforeAll
    static void start(DataSource dataSource, CapturedOutput output) {
        app = HttpApp.start(
                dataSource,
                directory,
                Beans.class,
                HttpApp.SILENT_FAILURES,
                "fbf.max-claims=2",
                "fbf.responses.enabled=false",
                "logging.level.dev.fbf.spring.method.StartNotices=info");
        log = output.getOut();
        counters = app.bean(Counters.class);
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void aReplayIsAnsweredByOnDuplicateAndSaysSo() throws Exception {
        HttpResponse<String> first = post("/counters/replay", HttpApp.MARKER + "1");
        HttpResponse<String> second = post("/counters/replay", "\"" + HttpApp.MARKER + "1\"");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("counted replay");
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.body()).isEqualTo("counted before replay");
        assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void aReplayWithoutOnDuplicateIsAnswered204() throws Exception {
        assertThat(post("/silent/a", HttpApp.MARKER + "1").statusCode()).isEqualTo(200);

        HttpResponse<String> second = post("/silent/a", HttpApp.MARKER + "1");

        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(second.body()).isEmpty();
        assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    /** The handler has done its own work again: its response is no replay. */
    @Test
    void aReplayWithinAnUnguardedHandlerIsNotSaidOfItsResponse() throws Exception {
        assertThat(post("/unguarded/a", HttpApp.MARKER + "1").body()).isEqualTo("handled: counted a");

        HttpResponse<String> second = post("/unguarded/a", HttpApp.MARKER + "1");

        assertThat(second.body()).isEqualTo("handled: counted before a");
        assertThat(second.headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/by-service", "/functional"})
    void aReplayOfAServiceWithoutOnDuplicateIsAnswered204AndSaysSo(String path) throws Exception {
        String key = UUID.randomUUID().toString();
        assertThat(post(path, key).statusCode()).isEqualTo(200);

        HttpResponse<String> second = post(path, key);

        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void theStartNamesServicesWhoseRetriesGetNoBody() {
        assertThat(log).contains("Retries of [Service.countSilently()] throw a DuplicateOperationException");
    }

    @Test
    void aVoidReplayIsAnswered204Too() throws Exception {
        assertThat(post("/void/a", HttpApp.MARKER + "1").statusCode()).isEqualTo(200);
        assertThat(post("/void/a", HttpApp.MARKER + "1").statusCode()).isEqualTo(204);
    }

    @Test
    void aMissingKeyIsAnswered400() throws Exception {
        HttpResponse<String> response = app.post("/counters/a");

        assertProblem(response, 400, "idempotency-key");
        assertThat(response.body()).contains("The header Idempotency-Key is missing.");
    }

    @Test
    void aMalformedOrRepeatedKeyIsAnswered400() throws Exception {
        assertProblem(post("/counters/a", "\"unclosed"), 400, "idempotency-key");
        assertProblem(app.post("/counters/a", "Idempotency-Key", "a", "Idempotency-Key", "b"), 400, "idempotency-key");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x%00", "xxxxxxxxxxxxxxxxxxxx"})
    void anImpossibleNameOfACounterGets400AndLeavesTheOperationNew(String name) throws Exception {
        String path = "/named?name=" + (name.startsWith("xx") ? name.repeat(20) : name);
        HttpResponse<String> response = post(path, "named-" + name);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(HttpApp.json(response).get("detail").asString()).startsWith("The name of a counter must ");
        assertThat(post("/named?name=right", "named-" + name).body()).isNotEmpty();
    }

    @Test
    void anOperationInProgressIsAnswered409() throws Exception {
        counters.hold(1);
        CompletableFuture<HttpResponse<String>> first = send("/held/a", "in-progress");
        counters.awaitHeld();

        HttpResponse<String> second = post("/held/a", "in-progress");
        counters.release();

        assertThat(first.get().statusCode()).isEqualTo(200);
        assertProblem(second, 409, "in-progress");
        assertThat(second.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(post("/held/a", "in-progress").statusCode()).isEqualTo(204);
    }

    @Test
    void anOperationThatThereIsNoRoomForIsAnswered503() throws Exception {
        counters.hold(2);
        CompletableFuture<HttpResponse<String>> first = send("/held/a", "first");
        CompletableFuture<HttpResponse<String>> second = send("/held/a", "second");
        counters.awaitHeld();

        HttpResponse<String> third = post("/held/a", "third");
        counters.release();

        assertThat(first.get().statusCode()).isEqualTo(200);
        assertThat(second.get().statusCode()).isEqualTo(200);
        assertProblem(third, 503, "no-room");
        assertThat(third.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(post("/held/a", "third").statusCode()).isEqualTo(200);
    }

    @Test
    void theUsersExceptionIsAnsweredAsWithoutGuardAndFreesTheOperation() throws Exception {
        counters.failNext();
        assertThat(post("/failing/a", HttpApp.MARKER + "1").statusCode()).isEqualTo(500);
        assertThat(post("/failing/a", HttpApp.MARKER + "1").statusCode()).isEqualTo(200);
        assertThat(post("/failing/a", HttpApp.MARKER + "1").statusCode()).isEqualTo(204);
    }

    private static void assertProblem(HttpResponse<String> response, int status, String type) {
        JsonNode problem = HttpApp.json(response);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(problem.path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:" + type);
        assertThat(problem.path("title").asString()).isNotBlank();
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("detail").asString()).isNotBlank();
    }

    private static HttpResponse<String> post(String path, String key) throws IOException, InterruptedException {
        return app.post(path, "Idempotency-Key", key);
    }

    private static CompletableFuture<HttpResponse<String>> send(String path, String key) {
        return app.send(path, "Idempotency-Key", key);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Counters.class, Service.class, Unguarded.class})
    static class Beans {}

    static class Service {

        @IdempotentIncrement(scope = "service", onDuplicate = "before")
        String count(String name) {
            return "counted " + name;
        }

        String before(String name) {
            return "counted before " + name;
        }

        @IdempotentIncrement(scope = "silent-service")
        String countSilently() {
            return "counted";
        }
    }

    @RestController
    static class Unguarded {

        private final Service service;
        private final SqlCounters named;

        Unguarded(Service service, SqlCounters named) {
            this.service = service;
            this.named = named;
        }

        @PostMapping("/unguarded/{name}")
        String handle(@PathVariable String name) {
            return "handled: " + service.count(name);
        }

        @PostMapping("/named")
        @IdempotentIncrement(scope = "named")
        String handleNamed(@RequestParam String name) {
            return "" + named.increment(name);
        }

        @PostMapping("/by-service")
        String handleByService() {
            return service.countSilently();
        }

        @Bean
        static RouterFunction<ServerResponse> functional(Service service) {
            return RouterFunctions.route()
                    .POST("/functional", request -> ServerResponse.ok().body(service.countSilently()))
                    .build();
        }
    }

    @RestController
    static class Counters {

        private final AtomicInteger failures = new AtomicInteger();
        private volatile CountDownLatch held = new CountDownLatch(1);
        private volatile CountDownLatch released = new CountDownLatch(0);

        @PostMapping("/counters/{name}")
        @IdempotentIncrement(scope = "counters", onDuplicate = "before")
        String count(@PathVariable String name) {
            return "counted " + name;
        }

        String before(String name) {
            return "counted before " + name;
        }

        @PostMapping("/silent/{name}")
        @IdempotentIncrement(scope = "silent")
        String silent(@PathVariable String name) {
            return name;
        }

        @PostMapping("/void/{name}")
        @IdempotentIncrement(scope = "void")
        void nothing(@PathVariable String name) {}

        @PostMapping("/held/{name}")
        @IdempotentIncrement(scope = "held")
        String held(@PathVariable String name) throws InterruptedException {
            held.countDown();
            released.await();
            return name;
        }

        @PostMapping("/failing/{name}")
        @IdempotentIncrement(scope = "failing")
        String failing(@PathVariable String name) {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("mine");
            }
            return name;
        }

        void failNext() {
            failures.set(1);
        }

        void hold(int requests) {
            held = new CountDownLatch(requests);
            released = new CountDownLatch(1);
        }

        void awaitHeld() throws InterruptedException {
            held.await();
        }

        void release() {
            released.countDown();
        }
    }
}
