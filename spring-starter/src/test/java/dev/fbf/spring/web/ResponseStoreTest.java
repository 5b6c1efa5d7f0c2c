package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.ResponseStore;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** First responses in a store of the application's own, as in Redis. */
@GuardedApp(beans = ResponseStoreTest.Beans.class, properties = "fbf.retry-window=15m")
class ResponseStoreTest extends HttpAppTest {

    private static final Shared SHARED = new Shared();

    @AfterEach
    void repair() {
        SHARED.failing = false;
    }

    /** Returns once the response is stored: a retry waits for that. */
    private static void store(String key) throws Exception {
        for (int i = 0; i < 2; i++) {
            assertThat(app.post("/orders", "Idempotency-Key", key).statusCode()).isEqualTo(201);
        }
    }

    @Test
    void givesRetriesTheFirstResponseAfterARestartToo() throws Exception {
        HttpResponse<String> first = post("/orders");
        restart();
        HttpResponse<String> retry = post("/orders");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).contains("ü");
        assertReplayed(retry, first);
        assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        assertThat(SHARED.scope).isEqualTo("stored-orders");
        assertThat(SHARED.keepFor).isEqualTo(Duration.ofMinutes(15));
    }

    @Test
    void thatFailsCostsTheFirstResponseAndIsNamedOnce(CapturedOutput output) throws Exception {
        store(UUID.randomUUID().toString());
        SHARED.failing = true;

        assertThat(post("/orders").statusCode()).isEqualTo(201);
        assertThat(status(post("/orders"))).isEqualTo("204 replayed");

        assertThat(output)
                .containsOnlyOnce(Shared.class.getName() + " could not keep a response of the scope stored-orders:"
                        + " its operation was applied, and retries get the response for duplicates.")
                .doesNotContain("could not give");
    }

    @Test
    void thatLosesOrDamagesResponsesCostsTheFirstResponse() throws Exception {
        store(key);
        SHARED.responses.clear();
        assertThat(post("/orders").statusCode()).isEqualTo(204);

        String other = UUID.randomUUID().toString();
        store(other);
        SHARED.responses.replaceAll((operation, response) -> new byte[] {1, 2, 3});
        assertThat(app.post("/orders", "Idempotency-Key", other).statusCode()).isEqualTo(204);
    }

    /** As another process would keep them. */
    private static final class Shared implements ResponseStore {

        private final Map<UUID, byte[]> responses = new ConcurrentHashMap<>();
        private volatile boolean failing;
        private volatile String scope = "";
        private volatile Duration keepFor = Duration.ZERO;

        @Override
        public void store(String scope, UUID operation, byte[] response, Duration keepFor) {
            requireWorking();
            this.scope = scope;
            this.keepFor = keepFor;
            responses.put(operation, response);
        }

        @Override
        public byte @Nullable [] find(String scope, UUID operation) {
            requireWorking();
            return responses.get(operation);
        }

        private void requireWorking() {
            if (failing) {
                throw new IllegalStateException("out of reach");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Orders.class)
    static class Beans {

        @Bean
        ResponseStore responses() {
            return SHARED;
        }
    }

    @RestController
    static class Orders {

        private final AtomicInteger made = new AtomicInteger();

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "stored-orders")
        ResponseEntity<String> order() {
            return ResponseEntity.created(URI.create("/orders/1")).body("order ü " + made.incrementAndGet());
        }
    }
}
