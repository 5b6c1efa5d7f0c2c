package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Retries that come before the response to the first request is complete, whose operation is applied by then. */
@ExtendWith(PostgresExtension.class)
@Timeout(300)
class AwaitedResponseTest {

    @TempDir
    private static Path directory;

    private static HikariDataSource pool;
    private static HttpApp filter;
    private static HttpApp ledger;
    private static HttpApp other;

    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start(DataSource dataSource) {
        pool = new HikariDataSource(); // retries that wait ask often
        pool.setDataSource(dataSource);
        filter = HttpApp.start(pool, directory.resolve("filter"), Orders.class);
        ledger = HttpApp.start(pool, directory.resolve("ledger"), Orders.class, "fbf.mode=ledger");
        other = HttpApp.start(pool, directory.resolve("other"), Orders.class, "fbf.mode=ledger");
    }

    @AfterEach
    void goOn() {
        Receipt.complete.drainPermits();
        Receipt.begun.drainPermits();
    }

    @AfterAll
    static void stop() {
        other.close();
        ledger.close();
        filter.close();
        pool.close();
    }

    /** Which nodes the first request and its retry come to. */
    private static Stream<HttpApp> nodes(String route) {
        return switch (route) {
            case "filter" -> Stream.of(filter, filter);
            default -> Stream.of(ledger, ledger);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "ledger"})
    void waitForIt(String route) throws Exception {
        List<HttpApp> nodes = nodes(route).toList();
        CompletableFuture<HttpResponse<String>> first = nodes.get(0).send("/receipts", "Idempotency-Key", key);
        Receipt.begun.acquire();
        CompletableFuture<HttpResponse<String>> retry = nodes.get(1).send("/receipts", "Idempotency-Key", key);
        await().until(() -> retry.isDone() || isWaiting("PendingResponses"));
        Receipt.complete.release();

        assertReplays(first.get(), retry.get());
    }

    @ParameterizedTest
    @ValueSource(strings = {"filter", "ledger"})
    void getItHoweverCloseTheyCome(String route) throws Exception {
        sendCopies(8, nodes(route).toList());
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"filter", "ledger"})
    void getItThreeHundredTimes(String route) throws Exception {
        sendCopies(300, nodes(route).toList());
    }

    /** The client that retries then finds it complete. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"filter", "ledger"})
    void areInProgressWhileItTakesLong(String route) throws Exception {
        HttpApp node = nodes(route).findFirst().orElseThrow();
        CompletableFuture<HttpResponse<String>> first = node.send("/receipts", "Idempotency-Key", key);
        Receipt.begun.acquire();
        HttpResponse<String> retry = node.post("/receipts", "Idempotency-Key", key);
        Receipt.complete.release();

        assertThat(retry.statusCode()).isEqualTo(409);
        assertThat(retry.headers().firstValue("Retry-After")).isPresent();
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertReplays(first.get(), node.post("/receipts", "Idempotency-Key", key));
    }

    /** As one that was killed, a node that keeps no responses writes none. */
    @Test
    @Tag("slow")
    void areLeftToOnDuplicateWhereTheOtherNodeHasGone(DataSource dataSource) throws Exception {
        try (HttpApp gone = HttpApp.start(
                dataSource,
                directory.resolve("gone"),
                Orders.class,
                "fbf.mode=ledger",
                "fbf.responses.enabled=false")) {
            assertThat(gone.post("/failed", "Idempotency-Key", key).statusCode())
                    .isEqualTo(500);
        }

        assertThat(other.post("/failed", "Idempotency-Key", key).body()).isEqualTo("failed before");
    }

    /** Four copies of each request within 6 ms. */
    private static void sendCopies(int requests, List<HttpApp> nodes) throws Exception {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < requests; i++) {
            String path = i % 2 == 0 ? "/orders" : "/orders/waiting";
            String key = UUID.randomUUID().toString();
            List<CompletableFuture<HttpResponse<String>>> copies = new ArrayList<>();
            for (int copy = 0; copy < 4; copy++) {
                copies.add(nodes.get(copy % 2).send(path, "Idempotency-Key", key));
                LockSupport.parkNanos(random.nextLong(2_000_000));
            }
            List<HttpResponse<String>> responses = new ArrayList<>();
            for (CompletableFuture<HttpResponse<String>> copy : copies) {
                HttpResponse<String> response = copy.get();
                if (response.statusCode() != 409 || path.equals("/orders/waiting")) {
                    responses.add(response);
                }
            }
            HttpResponse<String> first = responses.stream()
                    .filter(response ->
                            response.headers().firstValue("Idempotent-Replayed").isEmpty())
                    .findFirst()
                    .orElseThrow();
            responses.remove(first);
            responses.forEach(retry -> assertReplays(first, retry));
        }
    }

    private static void assertReplays(HttpResponse<String> first, HttpResponse<String> retry) {
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(retry.statusCode()).as(retry.body()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(retry.headers().firstValue("Location"))
                .isPresent()
                .isEqualTo(first.headers().firstValue("Location"));
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    private static boolean isWaiting(String... classes) {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getMethodName().startsWith("await")
                        && Stream.of(classes).anyMatch(frame.getClassName()::endsWith));
    }

    /** The body of a response that takes a while to be written. */
    record Receipt(int number) {

        static final Semaphore begun = new Semaphore(0);
        static final Semaphore complete = new Semaphore(0);

        public String getText() throws InterruptedException {
            begun.release();
            complete.acquire();
            return "order " + number;
        }
    }

    @RestController
    static class Orders {

        private final AtomicInteger orders = new AtomicInteger();

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        ResponseEntity<String> order() {
            int order = orders.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + order)).body("order " + order);
        }

        @PostMapping("/orders/waiting")
        @IdempotentIncrement(scope = "waiting-orders", waitInProgress = "5s")
        ResponseEntity<String> orderAndWait() {
            return order();
        }

        @PostMapping("/receipts")
        @IdempotentIncrement(scope = "receipts")
        ResponseEntity<Receipt> receipt() {
            int order = orders.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + order)).body(new Receipt(order));
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
