package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.SqlCounters;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.servlet.view.RedirectView;

/**
 * What a retry of an applied operation gets: the first response, in both modes, and in ledger mode at whatever node. The first node speaks
 * HTTP/2 without TLS.
 */
@GuardedApp(
        beans = ReplayedResponseTest.Orders.class,
        properties = {
            "fbf.responses.max-body=200B",
            "server.http2.enabled=true",
            "logging.level.dev.fbf.spring.web.FirstResponses=info",
            HttpApp.SILENT_FAILURES
        })
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
                : HttpApp.start(database, directory, Orders.class, "fbf.mode=ledger", "fbf.responses.max-body=200B");
    }

    @AfterParameterizedClassInvocation
    static void stopThat() {
        other.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/orders",
                "/entity",
                "/problem",
                "/record",
                "/bytes",
                "/null",
                "/void",
                "/void/created",
                "/redirected",
                "/redirected/by-view",
                "/redirected/sent",
                "/exchanged",
                "/inherited",
                "/refused",
                "/refused/402",
                "/refused/404",
                "/refused/409",
                "/refused/after"
            })
    void isTheFirst(String path) throws Exception {
        HttpResponse<String> first = post(path);

        assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
        for (HttpResponse<String> retry : List.of(post(path), post(other, path))) {
            assertReplayed(retry, first);
            assertThat(headers(retry)).isEqualTo(headers(first));
        }
    }

    /** Returns the kept headers. The server sets the language of a view. */
    private static Map<String, List<String>> headers(HttpResponse<String> response) {
        Map<String, List<String>> headers = new TreeMap<>(response.headers().map());
        headers.keySet()
                .removeAll(List.of(
                        ":status",
                        "connection",
                        "content-language",
                        "content-location",
                        "date",
                        "idempotent-replayed",
                        "x-total"));
        return headers;
    }

    /** The page of the error is the server's. */
    @Test
    void isTheStatusOfAnErrorThatTheServerSends() throws Exception {
        assertThat(post("/refused/with-reason").body()).contains("Conflict");

        assertThat(answer(post(other, "/refused/with-reason"))).isEqualTo("409 replayed: ");
    }

    @Timeout(10) // a retry waits for a response that may still be kept
    @ParameterizedTest
    @ValueSource(strings = {"/written", "/viewed", "/streamed", "/resource", "/long/location", "/long/redirect"})
    void isNotKeptOfAViewAStreamOrALongHeader(String path) throws Exception {
        assertThat(post(path).statusCode()).isBetween(200, 303);

        assertThat(status(post(path))).isEqualTo("204 replayed");
    }

    /** Each request has its own. */
    @Test
    void leavesTheHeadersOfFiltersToThem() throws Exception {
        String first = post("/orders").headers().firstValue("Content-Location").orElseThrow();

        assertThat(post(other, "/orders").headers().allValues("Content-Location"))
                .hasSize(1)
                .doesNotContain(first);
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

        // another node finds the response once its batch is written
        HttpResponse<String> retry = await().until(() -> post(other, "/redirected"), kept -> kept.statusCode() != 204);

        assertThat(retry.headers().allValues("Link")).containsExactly("</a>; rel=\"up\"", "</b>; rel=\"next\"");
        assertThat(retry.headers().firstValue("Content-Security-Policy")).hasValue("default-src 'self'");
        assertThat(retry.headers().firstValue("X-Total")).isEmpty();
    }

    @Test
    void isSaidOnceNotToBeKeptOrToLackHeaders(DataSource database, @TempDir Path plain, CapturedOutput output)
            throws Exception {
        try (HttpApp app = HttpApp.start(
                database,
                plain,
                Orders.class,
                "fbf.mode=" + mode,
                "fbf.responses.max-body=1000B",
                "fbf.responses.headers=X-Total",
                "logging.level.dev.fbf.spring.web.FirstResponses=info")) {
            for (String another : List.of("a", "b")) {
                String[] header = {"Idempotency-Key", another + key};
                app.post("/sized?size=1001", header);
                assertThat(status(app.post("/sized?size=1001", header))).isEqualTo("204 replayed");
                app.post("/written", header);
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
                .containsOnlyOnce("Orders#respondAtLength(int) lack these headers of the first response: [X-Other]")
                .containsOnlyOnce("Orders#write(HttpServletResponse) is not kept")
                .doesNotContain("Orders#respondAtLength(int) is not kept");
    }

    @Test
    void isThatOfOnDuplicateWhereTheFirstWasLongOrAFailure() throws Exception {
        assertThat(post("/long").body()).hasSize(201);
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

    record Order(String name) {}

    @RestController
    static class Orders implements Mapped<String> {

        private static final AtomicInteger orders = new AtomicInteger();
        private static final AtomicInteger requests = new AtomicInteger();
        private static final AtomicInteger thrown = new AtomicInteger();

        private final SqlCounters counters;

        Orders(SqlCounters counters) {
            this.counters = counters;
        }

        @Bean
        static Filter numbering() {
            return (request, response, chain) -> {
                ((HttpServletResponse) response)
                        .setHeader("Content-Location", "/requests/" + requests.incrementAndGet());
                chain.doFilter(request, response);
            };
        }

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
                    .header("Content-Security-Policy", "default-src 'self'")
                    .header("X-Total", "1")
                    .build();
        }

        @PostMapping("/written")
        @IdempotentIncrement(scope = "written")
        void write(HttpServletResponse response) throws IOException {
            response.getWriter().print("written");
        }

        @PostMapping("/viewed")
        @IdempotentIncrement(scope = "viewed")
        View view() {
            return (model, request, response) -> response.getWriter().print("viewed");
        }

        @PostMapping("/streamed")
        Object stream(IdempotencyKey key) {
            counters.increment(key, "streamed", 1);
            return (StreamingResponseBody) out -> out.write('s');
        }

        @PostMapping("/resource")
        @IdempotentIncrement(scope = "resource")
        Resource load() {
            return new ByteArrayResource(new byte[] {'r'});
        }

        @PostMapping("/long/location")
        @IdempotentIncrement(scope = "long-location")
        ResponseEntity<String> locate() {
            return ResponseEntity.created(URI.create("/" + "x".repeat(201))).body("located");
        }

        @PostMapping("/long/redirect")
        @IdempotentIncrement(scope = "long-redirect")
        RedirectView redirectFar() {
            return new RedirectView("/" + "x".repeat(201));
        }

        @PostMapping("/entity")
        @IdempotentIncrement(scope = "entity")
        HttpEntity<Order> entity() {
            return new HttpEntity<>(new Order("ü" + orders.incrementAndGet()), HttpHeaders.EMPTY);
        }

        @PostMapping("/problem")
        @IdempotentIncrement(scope = "problem")
        ProblemDetail problem() {
            return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "no " + orders.incrementAndGet());
        }

        @PostMapping("/record")
        @IdempotentIncrement(scope = "record")
        Order record() {
            return new Order("ü" + orders.incrementAndGet());
        }

        @PostMapping("/bytes")
        @IdempotentIncrement(scope = "bytes")
        byte[] bytes() {
            return new byte[] {0, 1, (byte) orders.incrementAndGet()};
        }

        @PostMapping("/null")
        @IdempotentIncrement(scope = "null")
        @Nullable Order none() {
            return null;
        }

        @PostMapping("/void")
        @IdempotentIncrement(scope = "void")
        void nothing() {}

        @PostMapping("/void/created")
        @ResponseStatus(HttpStatus.CREATED)
        @IdempotentIncrement(scope = "created")
        void create() {}

        @PostMapping("/redirected/by-view")
        @IdempotentIncrement(scope = "redirected-by-view")
        RedirectView redirectByView() {
            return new RedirectView("/orders/" + orders.incrementAndGet());
        }

        @PostMapping("/redirected/sent")
        @IdempotentIncrement(scope = "redirected-sent")
        void redirectItself(HttpServletResponse response) throws IOException {
            response.sendRedirect("/orders/" + orders.incrementAndGet());
        }

        @PostMapping("/refused/with-reason")
        @ResponseStatus(code = HttpStatus.CONFLICT, reason = "taken")
        @IdempotentIncrement(scope = "refused-with-reason")
        void refuseWithReason() {}

        @PostMapping("/refused/after")
        void refuseAfter(IdempotencyKey key) {
            counters.increment(key, "refused-after", 1);
            throw new IllegalArgumentException("refusal " + orders.incrementAndGet());
        }

        @ExceptionHandler
        ResponseEntity<String> onRefusal(IllegalArgumentException refusal) {
            return ResponseEntity.badRequest().body(refusal.getMessage());
        }

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
            return "x".repeat(201);
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
