package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.operation.BoundProperties;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Retries in filter mode of requests whose method names no {@code onDuplicate}: they are answered as the first ones were. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class ResponsesFromMemoryTest {

    @TempDir
    private static Path directory;

    private static HttpApp app;

    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start(DataSource dataSource) {
        app = start(dataSource, directory.resolve("one"));
    }

    private static HttpApp start(DataSource dataSource, Path node, String... properties) {
        return HttpApp.start(dataSource, node, Beans.class, properties);
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void haveTheSameStatusHeadersAndBody() throws Exception {
        HttpResponse<String> first = post("/orders", key);
        HttpResponse<String> retry = post("/orders", key);

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).matches("order [0-9]+");
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(retry.statusCode()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body());
        for (String header : new String[] {"Location", "Content-Type"}) {
            assertThat(retry.headers().firstValue(header))
                    .isEqualTo(first.headers().firstValue(header));
        }
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void areWithoutABodyWhereTheFirstResponseWas() throws Exception {
        assertThat(post("/void", key).statusCode()).isEqualTo(200);
        assertThat(post("/void", key).statusCode()).isEqualTo(200);
    }

    @Test
    void areLeftOutIfTheyAreTooLongAndSoAreHeadersThatAreNotListedWhichIsSaidOnce(
            DataSource dataSource, @TempDir Path plain, CapturedOutput output) throws Exception {
        try (HttpApp app = start(
                dataSource,
                plain,
                "fbf.responses.max-body=1000B",
                "fbf.responses.headers=X-Total",
                "logging.level.dev.fbf.spring.web.ResponseFilter=info")) {
            for (int i = 0; i < 2; i++) {
                String[] header = {"Idempotency-Key", UUID.randomUUID().toString()};
                app.post("/sized?size=1001", header);
                assertThat(app.post("/sized?size=1001", header).statusCode()).isEqualTo(204);
            }
            String[] header = {"Idempotency-Key", key};
            app.post("/sized?size=1000", header);
            HttpResponse<String> retry = app.post("/sized?size=1000", header);

            assertThat(retry.body()).hasSize(1000);
            assertThat(retry.headers().firstValue("X-Total")).hasValue("1000");
            assertThat(retry.headers().firstValue("X-Other")).isEmpty();
        }

        assertThat(output)
                .containsOnlyOnce(
                        "Orders#respondAtLength(int) is longer than fbf.responses.max-body=1000B and is not kept")
                .containsOnlyOnce(
                        "Orders#respondAtLength(int) lack these headers of the first response: [Set-Cookie, X-Other]");
    }

    @Test
    void areTheFirstRefusal() throws Exception {
        HttpResponse<String> first = post("/refused", key);
        HttpResponse<String> retry = post("/refused", key);

        assertThat(first.statusCode()).isEqualTo(422);
        assertThat(first.body()).isEqualTo("refusal 1");
        assertThat(retry.statusCode()).isEqualTo(422);
        assertThat(retry.body()).isEqualTo("refusal 1");
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void areTheFirstRefusalOrSuccessEvenWithOnDuplicate() throws Exception {
        assertThat(post("/refused-or-not?refused=true", key).statusCode()).isEqualTo(422);
        assertThat(post("/refused-or-not?refused=true", key).body()).isEqualTo("refused");

        String another = UUID.randomUUID().toString();
        assertThat(post("/refused-or-not?refused=false", another).body()).isEqualTo("done");
        assertThat(post("/refused-or-not?refused=false", another).body()).isEqualTo("done");
    }

    @Test
    void runTheMethodAgainAfterARefusalThatIsThrown() throws Exception {
        assertThat(post("/thrown", key).statusCode()).isEqualTo(422);
        HttpResponse<String> retry = post("/thrown", key);

        assertThat(retry.statusCode()).isEqualTo(200);
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void are204OnceTheProcessHasGone(DataSource dataSource, CapturedOutput output) throws Exception {
        post("/orders", key);
        app.close();
        app = start(dataSource, directory.resolve("one"), "logging.level.dev.fbf.spring.method.StartNotices=info");

        HttpResponse<String> retry = post("/orders", key);

        assertThat(retry.statusCode()).isEqualTo(204);
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(output)
                .contains(
                        "Retries of [Orders.order, Orders.refuse, Orders.respondAtLength, Tenants.order, Orders.refuseOnce] get the first response")
                .contains("name an onDuplicate method or leave the scope in ledger mode");
    }

    @Tag("slow")
    @Test
    void are204OnceLaterResponsesHaveTakenTheMemory(DataSource dataSource) throws Exception {
        String[] header = {"Idempotency-Key", key};
        int length = 250_000;
        try (HttpApp app = start(dataSource, directory.resolve("full"), "fbf.responses.max-body=256KB")) {
            app.post("/sized?size=" + length, header);
            assertThat(app.post("/sized?size=" + length, header).statusCode()).isEqualTo(200);
            for (long kept = 0; kept <= BoundProperties.of().responses().memory(); kept += length) {
                app.post(
                        "/sized?size=" + length,
                        "Idempotency-Key",
                        UUID.randomUUID().toString());
            }

            assertThat(app.post("/sized?size=" + length, header).statusCode()).isEqualTo(204);
        }
    }

    @Test
    void areThoseOfTheSameCallerAndKey() throws Exception {
        String another = UUID.randomUUID().toString();
        String[][] requests = {{"ada", key}, {"bob", key}, {"ada", another}};
        for (String[] request : requests) {
            post("/tenants?tenant=" + request[0], request[1]);
        }

        for (int i = 0; i < requests.length; i++) {
            HttpResponse<String> retry = post("/tenants?tenant=" + requests[i][0], requests[i][1]);
            assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
            assertThat(retry.body()).isEqualTo(requests[i][0] + " " + (i + 1));
        }
    }

    private HttpResponse<String> post(String path, String key) throws Exception {
        return app.post(path, "Idempotency-Key", key);
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Orders.class, Tenants.class})
    static class Beans {}

    @RestController
    static class Orders {

        private final AtomicInteger orders = new AtomicInteger();
        private final AtomicInteger refusals = new AtomicInteger();
        private final AtomicInteger thrown = new AtomicInteger();

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        ResponseEntity<String> order() {
            int order = orders.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + order)).body("order " + order);
        }

        @PostMapping("/void")
        @IdempotentIncrement(scope = "void")
        void nothing() {}

        @PostMapping("/sized")
        @IdempotentIncrement(scope = "sized")
        ResponseEntity<String> respondAtLength(@RequestParam int size) {
            return ResponseEntity.ok()
                    .header("X-Total", String.valueOf(size))
                    .header("X-Other", "1")
                    .header("Set-Cookie", "a=b")
                    .body("x".repeat(size));
        }

        @PostMapping("/refused")
        @IdempotentIncrement(scope = "refused")
        ResponseEntity<String> refuse() {
            return ResponseEntity.unprocessableContent().body("refusal " + refusals.incrementAndGet());
        }

        @PostMapping("/refused-or-not")
        @IdempotentIncrement(scope = "refused-or-not", onDuplicate = "before")
        ResponseEntity<String> refuseOrNot(@RequestParam boolean refused) {
            return refused ? ResponseEntity.unprocessableContent().body("refused") : ResponseEntity.ok("done");
        }

        ResponseEntity<String> before(boolean refused) {
            return ResponseEntity.ok("done before");
        }

        @PostMapping("/thrown")
        @IdempotentIncrement(scope = "thrown")
        String refuseOnce() {
            if (thrown.getAndIncrement() == 0) {
                throw new ResponseStatusException(HttpStatusCode.valueOf(422));
            }
            return "done";
        }
    }

    @RestController
    static class Tenants {

        private final AtomicInteger orders = new AtomicInteger();

        @PostMapping("/tenants")
        @IdempotentIncrement(scope = "tenants", caller = "#tenant")
        String order(@RequestParam String tenant) {
            return tenant + " " + orders.incrementAndGet();
        }
    }
}
