package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.SqlCounters;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
@GuardedApp(
        modes = Mode.FILTER,
        beans = HttpContractTest.Beans.class,
        properties = {
            HttpApp.SILENT_FAILURES,
            "fbf.max-claims=2",
            "fbf.responses.enabled=false",
            "logging.level.dev.fbf.spring.method.StartNotices=info"
        })
class HttpContractTest extends HttpAppTest {

    private final Counters counters = app.bean(Counters.class);

    /** The handler has done its own work again: its response is no replay. */
    @Test
    void aReplayWithinAnUnguardedHandlerIsNotSaidOfItsResponse() throws Exception {
        assertThat(post("/unguarded/a").body()).isEqualTo("handled: counted a");

        HttpResponse<String> second = post("/unguarded/a");

        assertThat(second.body()).isEqualTo("handled: counted before a");
        assertThat(second.headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/by-service", "/functional"})
    void aReplayOfAServiceWithoutOnDuplicateIsAnswered204AndSaysSo(String path) throws Exception {
        assertThat(post(path).statusCode()).isEqualTo(200);

        HttpResponse<String> second = post(path);

        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void theStartNamesServicesWhoseRetriesGetNoBody() {
        assertThat(startLog).contains("Retries of [Service.countSilently()] throw a DuplicateOperationException");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x%00", "xxxxxxxxxxxxxxxxxxxx"})
    void anImpossibleNameOfACounterGets400AndLeavesTheOperationNew(String name) throws Exception {
        String path = "/named?name=" + (name.startsWith("xx") ? name.repeat(20) : name);
        HttpResponse<String> response = app.post(path, "Idempotency-Key", "named-" + name);

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(HttpApp.json(response).get("detail").asString()).startsWith("The name of a counter must ");
        assertThat(app.post("/named?name=right", "Idempotency-Key", "named-" + name)
                        .body())
                .isNotEmpty();
    }

    @Test
    void anOperationInProgressIsAnswered409() throws Exception {
        counters.hold(1);
        CompletableFuture<HttpResponse<String>> first = app.send("/held/a", "Idempotency-Key", "in-progress");
        counters.awaitHeld();

        HttpResponse<String> second = app.post("/held/a", "Idempotency-Key", "in-progress");
        counters.release();

        assertThat(first.get().statusCode()).isEqualTo(200);
        assertProblem(second, 409, "in-progress");
        assertThat(second.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(app.post("/held/a", "Idempotency-Key", "in-progress").statusCode())
                .isEqualTo(204);
    }

    @Test
    void anOperationThatThereIsNoRoomForIsAnswered503() throws Exception {
        counters.hold(2);
        CompletableFuture<HttpResponse<String>> first = app.send("/held/a", "Idempotency-Key", "first");
        CompletableFuture<HttpResponse<String>> second = app.send("/held/a", "Idempotency-Key", "second");
        counters.awaitHeld();

        HttpResponse<String> third = app.post("/held/a", "Idempotency-Key", "third");
        counters.release();

        assertThat(first.get().statusCode()).isEqualTo(200);
        assertThat(second.get().statusCode()).isEqualTo(200);
        assertProblem(third, 503, "no-room");
        assertThat(third.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(app.post("/held/a", "Idempotency-Key", "third").statusCode()).isEqualTo(200);
    }

    @Test
    void theUsersExceptionIsAnsweredAsWithoutGuardAndFreesTheOperation() throws Exception {
        counters.failNext();
        assertThat(post("/failing/a").statusCode()).isEqualTo(500);
        assertThat(post("/failing/a").statusCode()).isEqualTo(200);
        assertThat(post("/failing/a").statusCode()).isEqualTo(204);
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
