package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.PostExchange;

/** What a retry of an applied operation gets: the first response, in both modes, and in ledger mode at whatever node. */
@GuardedApp(beans = ReplayedResponseTest.Orders.class, properties = "fbf.responses.max-body=100B")
class ReplayedResponseTest extends HttpAppTest {

    private static final AtomicInteger CONNECTIONS_OF_REQUESTS = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private static HttpApp other;

    /** In filter mode, the node that has the operation. */
    @BeforeParameterizedClassInvocation
    static void startAnother(Mode mode, DataSource database, @TempDir Path directory) {
        dataSource.setTargetDataSource(new CountedDataSource(database));
        other = mode == Mode.FILTER
                ? app
                : HttpApp.start(database, directory, Orders.class, "fbf.mode=ledger", "fbf.responses.max-body=100B");
    }

    @AfterParameterizedClassInvocation
    static void stopThat() {
        other.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/orders",
                "/written",
                "/void",
                "/exchanged",
                "/inherited",
                "/refused",
                "/refused/402",
                "/refused/404",
                "/refused/409"
            })
    void isTheFirst(String path) throws Exception {
        HttpResponse<String> first = post(path);

        for (HttpResponse<String> retry : List.of(post(other, path), post(path))) {
            assertReplayed(retry, first);
            for (String header : List.of("Location", "Content-Type")) {
                assertThat(retry.headers().firstValue(header))
                        .isEqualTo(first.headers().firstValue(header));
            }
        }
    }

    /** By key, request and response. */
    @Test
    void takesOneConnectionAtTheSameNode() throws Exception {
        assumeThat(mode).isEqualTo(Mode.LEDGER);
        HttpResponse<String> first = post("/orders");
        assertReplayed(post(other, "/orders"), first); // so the response is stored
        CONNECTIONS_OF_REQUESTS.set(0);

        post("/orders");

        assertThat(CONNECTIONS_OF_REQUESTS).hasValue(1);
    }

    @Test
    void hasTheHeadersThatAreListed() throws Exception {
        post("/redirected");

        HttpResponse<String> retry = post(other, "/redirected");

        assertThat(retry.statusCode()).isEqualTo(303);
        assertThat(retry.headers().firstValue("Location")).hasValue("/orders/1");
        assertThat(retry.headers().allValues("Link")).containsExactly("</a>; rel=\"up\"", "</b>; rel=\"next\"");
        assertThat(retry.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(retry.headers().firstValue("X-Total")).isEmpty();
    }

    @Test
    void isSaidOnceToBeTooLongAndToLackHeaders(DataSource database, @TempDir Path plain, CapturedOutput output)
            throws Exception {
        try (HttpApp app = HttpApp.start(
                database,
                plain,
                Orders.class,
                "fbf.mode=" + mode,
                "fbf.responses.max-body=1000B",
                "fbf.responses.headers=X-Total",
                "logging.level.dev.fbf.spring.web.ResponseFilter=info")) {
            for (String another : List.of("a", "b")) {
                String[] header = {"Idempotency-Key", another + key};
                app.post("/sized?size=1001", header);
                assertThat(status(app.post("/sized?size=1001", header))).isEqualTo("204 replayed");
            }
            post(app, "/sized?size=1000");
            HttpResponse<String> retry = post(app, "/sized?size=1000");
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
    void isThatOfOnDuplicateWhereTheFirstWasLongOrAFailure() throws Exception {
        assertThat(post("/long").body()).hasSize(101);
        assertThat(post(other, "/long").body()).isEqualTo("long before");
        assertThat(post("/failed").statusCode()).isEqualTo(500);
        assertThat(post(other, "/failed").body()).isEqualTo("failed before");
        assertThat(status(post(other, "/failed"))).isEqualTo("200 replayed");
    }

    @Test
    void isOfTheMethodAgainAfterARefusalThatIsThrown() throws Exception {
        assertThat(status(post("/thrown"))).isEqualTo("422");
        assertThat(status(post(other, "/thrown"))).isEqualTo("200");
        assertThat(status(post("/thrown"))).isEqualTo("200 replayed");
    }

    @Test
    void isThatOfTheSameCallerAndKey() throws Exception {
        String[][] requests = {{"ada", key}, {"bob", key}, {"ada", "another-" + key}};
        List<String> first = new ArrayList<>();
        for (String[] request : requests) {
            first.add(app.post("/tenants?tenant=" + request[0], "Idempotency-Key", request[1])
                    .body());
        }
        for (int i = 0; i < requests.length; i++) {
            HttpResponse<String> retry =
                    other.post("/tenants?tenant=" + requests[i][0], "Idempotency-Key", requests[i][1]);
            assertThat(status(retry)).isEqualTo("200 replayed");
            assertThat(retry.body()).isEqualTo(first.get(i));
        }
        assertThat(first).doesNotHaveDuplicates();
    }

    @Test
    void hasNoContentOnceTheProcessOfTheFilterHasGone(CapturedOutput output) throws Exception {
        assumeThat(mode).isEqualTo(Mode.FILTER);
        post("/orders");

        restart("logging.level.dev.fbf.spring.method.StartNotices=info");
        other = app;

        assertThat(status(post("/sized?size=1"))).isEqualTo("200");
        assertThat(post("/orders").body()).isEqualTo("ordered before");
        assertThat(output)
                .containsPattern("Retries of \\[[^]]*Orders.respondAtLength[^]]*] get the first response")
                .contains("name an onDuplicate method or leave the scope in ledger mode");
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

    interface Mapped<T> {

        @PostMapping("/inherited")
        String inherit(@RequestParam(required = false) @Nullable T note);

        @PostExchange("/exchanged")
        String exchange(@RequestParam(required = false) @Nullable T note);
    }

    @RestController
    static class Orders implements Mapped<String> {

        private static final AtomicInteger orders = new AtomicInteger();
        private static final AtomicInteger thrown = new AtomicInteger();

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
            response.getWriter().print("Grüße 数 " + orders.incrementAndGet());
        }

        @PostMapping("/void")
        @IdempotentIncrement(scope = "void")
        void nothing() {}

        @Override
        @IdempotentIncrement(scope = "inherited")
        public String inherit(@Nullable String note) {
            return "order " + orders.incrementAndGet();
        }

        @Override
        @IdempotentIncrement(scope = "exchanged")
        public String exchange(@Nullable String note) {
            return "order " + orders.incrementAndGet();
        }

        @PostMapping("/sized")
        @IdempotentIncrement(scope = "sized")
        ResponseEntity<String> respondAtLength(@RequestParam int size) {
            return ResponseEntity.ok()
                    .header("X-Total", String.valueOf(size))
                    .header("X-Other", "1")
                    .header("Set-Cookie", "a=b")
                    .body("x".repeat(size));
        }

        @PostMapping("/long")
        @IdempotentIncrement(scope = "long", onDuplicate = "longBefore")
        String respondLong() {
            return "x".repeat(101);
        }

        String longBefore() {
            return "long before";
        }

        @PostMapping("/refused")
        @IdempotentIncrement(scope = "refused", onDuplicate = "refusedBefore")
        ResponseEntity<String> refuse() {
            return ResponseEntity.unprocessableContent().body("refusal " + orders.incrementAndGet());
        }

        ResponseEntity<String> refusedBefore() {
            return ResponseEntity.ok("refused before");
        }

        @PostMapping("/refused/{status}")
        @IdempotentIncrement(scope = "refused-with-status")
        ResponseEntity<Void> refuse(@PathVariable int status) {
            return ResponseEntity.status(status).build();
        }

        @PostMapping("/thrown")
        @IdempotentIncrement(scope = "thrown")
        String refuseOnce() {
            if (thrown.getAndIncrement() % 2 == 0) {
                throw new ResponseStatusException(HttpStatusCode.valueOf(422));
            }
            return "done";
        }

        @PostMapping("/failed")
        @IdempotentIncrement(scope = "failed", onDuplicate = "failedBefore")
        ResponseEntity<String> fail() {
            return ResponseEntity.internalServerError().body("failed");
        }

        ResponseEntity<String> failedBefore() {
            return ResponseEntity.ok("failed before");
        }

        @PostMapping("/tenants")
        @IdempotentIncrement(scope = "tenants", caller = "#tenant")
        String orderFor(@RequestParam String tenant) {
            return tenant + " " + orders.incrementAndGet();
        }
    }
}
