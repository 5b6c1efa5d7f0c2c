package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Retries that come before the response to the first request is complete, whose operation is applied by then. */
@Timeout(300)
@GuardedApp(beans = AwaitedResponseTest.Orders.class)
class AwaitedResponseTest extends HttpAppTest {

    @AfterEach
    void goOn() {
        Receipt.complete.drainPermits();
        Receipt.begun.drainPermits();
    }

    @Test
    void waitForIt() throws Exception {
        CompletableFuture<HttpResponse<String>> first = send("/receipts");
        Receipt.begun.acquire();
        CompletableFuture<HttpResponse<String>> retry = send("/receipts");
        await().until(() -> retry.isDone() || isWaiting("PendingResponses"));
        Receipt.complete.release();

        assertReplayed(retry.get(), first.get());
    }

    /** Four copies of each request within 6 ms. */
    @Test
    void getItHoweverCloseTheyCome() throws Exception {
        for (int i = 0; i < 8; i++) {
            String path = i % 2 == 0 ? "/orders" : "/orders/waiting";
            String another = UUID.randomUUID().toString();
            List<CompletableFuture<HttpResponse<String>>> copies = new ArrayList<>();
            for (int copy = 0; copy < 4; copy++) {
                copies.add(app.send(path, "Idempotency-Key", another));
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2_000_000));
            }
            List<String> answers = copies.stream()
                    .map(CompletableFuture::join)
                    .filter(response -> response.statusCode() != 409 || path.equals("/orders/waiting"))
                    .map(HttpAppTest::answer)
                    .toList();
            String first = answers.stream()
                    .filter(answer -> answer.startsWith("201: "))
                    .findFirst()
                    .orElseThrow();
            assertThat(answers).containsOnlyOnce(first).isSubsetOf(first, first.replace("201: ", "201 replayed: "));
        }
    }

    /** The client that retries then finds it complete. */
    @Tag("slow")
    @Test
    void areInProgressWhileItTakesLong() throws Exception {
        CompletableFuture<HttpResponse<String>> first = send("/receipts");
        Receipt.begun.acquire();
        HttpResponse<String> retry = post("/receipts");
        Receipt.complete.release();

        assertThat(status(retry)).isEqualTo("409");
        assertThat(retry.headers().firstValue("Retry-After")).isPresent();
        assertReplayed(post("/receipts"), first.get());
    }

    private static boolean isWaiting(String className) {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getMethodName().startsWith("await")
                        && frame.getClassName().endsWith(className));
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
        Receipt receipt() {
            return new Receipt(orders.incrementAndGet());
        }
    }
}
