package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.db.Arbiter;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.ResponseStore;
import dev.fbf.spring.jdbc.NodeStatus;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** First responses in a store of the application's own, as in Redis. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@ParameterizedClass
@EnumSource(Mode.class)
class ResponseStoreTest {

    private static final Shared SHARED = new Shared();

    @SuppressWarnings("NullAway.Init")
    private static HttpApp app;

    @SuppressWarnings("NullAway.Init")
    private static DataSource database;

    @SuppressWarnings("NullAway.Init")
    private static String[] properties;

    @SuppressWarnings("NullAway.Init")
    private static Path node;

    private final String key = UUID.randomUUID().toString();

    @SuppressWarnings("UnusedVariable") // the application has it
    ResponseStoreTest(Mode mode) {}

    @BeforeParameterizedClassInvocation
    static void start(Mode mode, DataSource dataSource, @TempDir Path directory) {
        database = dataSource;
        node = directory;
        properties = new String[] {"fbf.mode=" + mode, "fbf.retry-window=15m"};
        app = start();
    }

    private static HttpApp start() {
        return HttpApp.start(database, node, Beans.class, properties);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        app.close();
    }

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

    private HttpResponse<String> post() throws Exception {
        return app.post("/orders", "Idempotency-Key", key);
    }

    @Test
    void givesRetriesTheFirstResponseAfterARestartToo() throws Exception {
        HttpResponse<String> first = post();
        app.close();
        app = start();
        HttpResponse<String> retry = post();

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(retry.statusCode()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body()).contains("ü");
        assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    }

    @Test
    void isToldTheScopeAndHowLongRetriesCanCome() throws Exception {
        store(key);

        assertThat(SHARED.scope).isEqualTo("stored-orders");
        assertThat(SHARED.keepFor).isEqualTo(Duration.ofMinutes(15));
    }

    @Test
    void leavesTheLedgerWithoutResponses() {
        List<Arbiter> arbiters = new ArrayList<>();
        app.bean(NodeStatus.class).watch(new NodeStatus.Watcher() {
            @Override
            public void openedScope(ScopeClaims guard) {}

            @Override
            public void openedDatabase(String name, Arbiter arbiter) {
                arbiters.add(arbiter);
            }
        });

        assertThat(arbiters)
                .isNotEmpty()
                .allSatisfy(arbiter ->
                        assertThat(arbiter.responses(Duration.ofHours(1))).isNull());
    }

    @Test
    void thatFailsCostsTheFirstResponseAndIsNamedOnce(CapturedOutput output) throws Exception {
        store(UUID.randomUUID().toString());
        SHARED.failing = true;

        assertThat(post().statusCode()).isEqualTo(201);
        assertThat(post())
                .returns(204, HttpResponse::statusCode)
                .satisfies(retry -> assertThat(retry.headers().firstValue("Idempotent-Replayed"))
                        .hasValue("true"));

        assertThat(output)
                .containsOnlyOnce(Shared.class.getName() + " could not keep a response of the scope stored-orders:"
                        + " its operation was applied, and retries get the response for duplicates.")
                .doesNotContain("could not give");
    }

    @Test
    void thatLosesOrDamagesResponsesCostsTheFirstResponse() throws Exception {
        store(key);
        SHARED.responses.clear();
        assertThat(post().statusCode()).isEqualTo(204);

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
