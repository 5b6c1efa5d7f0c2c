package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.OperationId;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Retries in ledger mode, which are answered as the first request was, at whatever node. */
@ExtendWith(PostgresExtension.class)
class ReplayedResponseTest {

    @TempDir
    private static Path directory;

    private static final AtomicInteger CONNECTIONS_OF_REQUESTS = new AtomicInteger();

    private static HttpApp node;
    private static HttpApp other;
    private static JdbcClient jdbc;

    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start(DataSource dataSource) {
        jdbc = JdbcClient.create(dataSource);
        node = HttpApp.start(
                new CountedDataSource(dataSource),
                directory.resolve("node"),
                Orders.class,
                "fbf.mode=ledger",
                "fbf.responses.max-body=100B");
        other = HttpApp.start(
                dataSource, directory.resolve("other"), Orders.class, "fbf.mode=ledger", "fbf.responses.max-body=100B");
    }

    @AfterAll
    static void stop() {
        other.close();
        node.close();
    }

    @Test
    void haveTheSameStatusHeadersAndBody() throws Exception {
        HttpResponse<String> first = post(node, "/orders");
        awaitResponse();
        HttpResponse<String> second = post(other, "/orders");
        HttpResponse<String> third = post(node, "/orders");

        assertThat(first.statusCode()).isEqualTo(201);
        for (HttpResponse<String> replay : List.of(second, third)) {
            assertThat(replay.statusCode()).isEqualTo(201);
            assertThat(replay.body()).isEqualTo(first.body());
            assertThat(replay.headers().firstValue("Location"))
                    .isEqualTo(first.headers().firstValue("Location"));
            assertThat(replay.headers().firstValue("Content-Type"))
                    .isEqualTo(first.headers().firstValue("Content-Type"));
            assertThat(replay.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        }
    }

    /** By key, request and response. */
    @Test
    void askTheDatabaseOnceAtTheSameNode() throws Exception {
        HttpResponse<String> first = post(node, "/orders");
        awaitResponse();
        CONNECTIONS_OF_REQUESTS.set(0);

        assertThat(post(node, "/orders").body()).isEqualTo(first.body());
        assertThat(CONNECTIONS_OF_REQUESTS).hasValue(1);
    }

    @Test
    void areTheSameRedirectAndHaveTheHeadersThatAreListed() throws Exception {
        assertThat(post(node, "/redirected").statusCode()).isEqualTo(303);
        awaitResponse();
        HttpResponse<String> retry = post(other, "/redirected");

        assertThat(retry.statusCode()).isEqualTo(303);
        assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        assertThat(retry.headers().allValues("Link")).containsExactly("</a>; rel=\"up\"", "</b>; rel=\"next\"");
        assertThat(retry.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(retry.headers().firstValue("X-Total")).isEmpty();
    }

    @Test
    void areTheSameForEveryCharacterAndByte() throws Exception {
        HttpResponse<String> first = post(node, "/written");
        awaitResponse();

        assertThat(first.body()).isEqualTo("Grüße 数");
        assertThat(post(other, "/written").body()).isEqualTo("Grüße 数");
    }

    @Test
    void areWithoutABodyIfTheFirstResponseWas() throws Exception {
        assertThat(post(node, "/void").statusCode()).isEqualTo(200);
        awaitResponse();

        assertThat(post(other, "/void").statusCode()).isEqualTo(200);
        assertThat(post(other, "/void").body()).isEmpty();
    }

    @Test
    void areLeftToOnDuplicateIfTheFirstResponseWasLong() throws Exception {
        assertThat(post(node, "/long").body()).hasSize(101);
        awaitLaterResponse();

        assertThat(post(other, "/long").body()).isEqualTo("long before");
    }

    @Test
    void areTheFirstRefusal() throws Exception {
        assertThat(post(node, "/refused").statusCode()).isEqualTo(422);
        awaitResponse();

        assertThat(post(other, "/refused").statusCode()).isEqualTo(422);
        assertThat(post(other, "/refused").body()).isEqualTo("refused");
    }

    @ParameterizedTest
    @ValueSource(ints = {402, 404, 409})
    void areTheFirstRefusalWithoutOnDuplicate(int status) throws Exception {
        assertThat(post(node, "/refused/" + status).statusCode()).isEqualTo(status);
        awaitResponse();

        assertThat(post(other, "/refused/" + status).statusCode()).isEqualTo(status);
        assertThat(post(other, "/refused/" + status).headers().firstValue("Idempotent-Replayed"))
                .hasValue("true");
    }

    @Test
    void areLeftToOnDuplicateIfTheFirstResponseWasAFailure() throws Exception {
        assertThat(post(node, "/failed").statusCode()).isEqualTo(500);
        awaitLaterResponse();

        assertThat(post(other, "/failed").body()).isEqualTo("failed before");
    }

    @Test
    void areLeftToOnDuplicateWhereNoResponsesAreKept(@TempDir Path plain, DataSource dataSource) throws Exception {
        try (HttpApp app =
                HttpApp.start(dataSource, plain, Orders.class, "fbf.mode=ledger", "fbf.responses.enabled=false")) {
            assertThat(post(app, "/orders").statusCode()).isEqualTo(201);
            awaitLaterResponse();

            assertThat(post(app, "/orders").body()).isEqualTo("ordered before");
        }
    }

    @Test
    void areStillRefusedForAnotherRequest() throws Exception {
        post(node, "/orders");
        awaitResponse();

        assertThat(other.post("/orders?another", "Idempotency-Key", key).statusCode())
                .isEqualTo(422);
    }

    private HttpResponse<String> post(HttpApp app, String path) throws IOException, InterruptedException {
        return app.post(path, "Idempotency-Key", key);
    }

    /** Until the response to the key's first request is written down. */
    private void awaitResponse() {
        await(key);
    }

    /** Until it would have been: until that of a later one is. */
    private void awaitLaterResponse() throws IOException, InterruptedException {
        String later = UUID.randomUUID().toString();
        node.post("/orders", "Idempotency-Key", later);
        await(later);
    }

    private static void await(String key) {
        List<UUID> operations = Stream.of("orders", "redirected", "written", "void", "refused", "refused-with-status")
                .map(scope -> OperationId.of(scope, "", key).toUuid())
                .toList();
        Awaitility.await().until(() -> operations.stream().anyMatch(ReplayedResponseTest::isKept));
    }

    private static boolean isKept(UUID operation) {
        return jdbc.sql("SELECT EXISTS (SELECT FROM fbf_response WHERE operation = ?)")
                .param(operation)
                .query(Boolean.class)
                .single();
    }

    private static final class CountedDataSource extends DelegatingDataSource {

        CountedDataSource(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (!Thread.currentThread().getName().startsWith("fbf-")) {
                CONNECTIONS_OF_REQUESTS.incrementAndGet();
            }
            return super.getConnection();
        }
    }

    @RestController
    static class Orders {

        private final AtomicInteger orders = new AtomicInteger();

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders", onDuplicate = "orderedBefore")
        ResponseEntity<String> order() {
            int order = orders.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + order)).body("order " + order);
        }

        ResponseEntity<String> orderedBefore() {
            return ResponseEntity.ok("ordered before");
        }

        @PostMapping("/redirected")
        @IdempotentIncrement(scope = "redirected")
        ResponseEntity<Void> redirect() {
            return ResponseEntity.status(303)
                    .location(URI.create("/orders/1"))
                    .header("Link", "</a>; rel=\"up\"", "</b>; rel=\"next\"")
                    .cacheControl(CacheControl.noStore())
                    .header("X-Total", "1")
                    .build();
        }

        @PostMapping("/written")
        @IdempotentIncrement(scope = "written")
        void write(HttpServletResponse response) throws IOException {
            response.setContentType("text/plain;charset=UTF-8");
            response.getWriter().print("Grüße 数");
        }

        @PostMapping("/void")
        @IdempotentIncrement(scope = "void")
        void nothing() {}

        @PostMapping("/long")
        @IdempotentIncrement(scope = "long", onDuplicate = "longBefore")
        String responseAtLength() {
            return "x".repeat(101);
        }

        String longBefore() {
            return "long before";
        }

        @PostMapping("/refused")
        @IdempotentIncrement(scope = "refused", onDuplicate = "refusedBefore")
        ResponseEntity<String> refuse() {
            return ResponseEntity.unprocessableContent().body("refused");
        }

        @PostMapping("/refused/{status}")
        @IdempotentIncrement(scope = "refused-with-status")
        ResponseEntity<Void> refuse(@PathVariable int status) {
            return ResponseEntity.status(status).build();
        }

        ResponseEntity<String> refusedBefore() {
            return ResponseEntity.ok("refused before");
        }

        @PostMapping("/failed")
        @IdempotentIncrement(scope = "failed", onDuplicate = "failedBefore")
        ResponseEntity<String> fail() {
            return ResponseEntity.internalServerError().body("failed");
        }

        ResponseEntity<String> failedBefore() {
            return ResponseEntity.ok("failed before");
        }
    }
}
