package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
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

    @SuppressWarnings("NullAway.Init")
    private static HttpApp other;

    /** In filter mode, the node that has the operation. */
    @BeforeParameterizedClassInvocation
    static void startAnother(Mode mode, DataSource database, @TempDir Path directory) {
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
                "/record",
                "/void/created",
                "/redirected",
                "/redirected/by-view",
                "/redirected/sent",
                "/refused",
                "/refused/404",
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

    @Timeout(10) // a retry waits for a response that may still be kept
    @ParameterizedTest
    @ValueSource(strings = {"/written", "/viewed", "/streamed", "/resource", "/long/redirect"})
    void isNotKeptOfAViewAStreamOrALongHeader(String path) throws Exception {
        assertThat(post(path).statusCode()).isBetween(200, 303);

        assertThat(status(post(path))).isEqualTo("204 replayed");
    }

    /** A header that a filter sets in each response has the value of the retry's own. */
    @Test
    void hasTheHeadersThatAreListed() throws Exception {
        String ofFilter =
                post("/redirected").headers().firstValue("Content-Location").orElseThrow();

        // another node finds the response once its batch is written
        HttpResponse<String> retry = await().until(() -> post(other, "/redirected"), kept -> kept.statusCode() != 204);

        assertThat(retry.headers().allValues("Link")).containsExactly("</a>; rel=\"up\"", "</b>; rel=\"next\"");
        assertThat(retry.headers().firstValue("Content-Security-Policy")).hasValue("default-src 'self'");
        assertThat(retry.headers().firstValue("X-Total")).isEmpty();
        assertThat(retry.headers().allValues("Content-Location")).hasSize(1).doesNotContain(ofFilter);
    }

    @Test
    void isThatOfOnDuplicateWhereTheFirstWasLongOrAFailure() throws Exception {
        assertThat(post("/long").body()).hasSize(201);
        assertThat(post(other, "/long").body()).isEqualTo("long before");
        assertThat(post("/failed").statusCode()).isEqualTo(500);
        assertThat(post(other, "/failed").body()).isEqualTo("failed before");
        assertThat(status(post(other, "/failed"))).isEqualTo("200 replayed");
    }

    record Order(String name) {}

    @RestController
    static class Orders {

        private static final AtomicInteger orders = new AtomicInteger();
        private static final AtomicInteger requests = new AtomicInteger();

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

        /** Reads all that is written, before the client gets it. */
        @Bean
        static Filter etags() {
            return new ShallowEtagHeaderFilter();
        }

        @PostMapping("/orders")
        @IdempotentIncrement(scope = "orders")
        ResponseEntity<String> order() {
            int order = orders.incrementAndGet();
            return ResponseEntity.created(URI.create("/orders/" + order)).body("order " + order);
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

        @PostMapping("/long/redirect")
        @IdempotentIncrement(scope = "long-redirect")
        RedirectView redirectFar() {
            return new RedirectView("/" + "x".repeat(201));
        }

        @PostMapping("/record")
        @IdempotentIncrement(scope = "record")
        Order record() {
            return new Order("ü" + orders.incrementAndGet());
        }

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

        @PostMapping("/refused/after")
        void refuseAfter(IdempotencyKey key) {
            counters.increment(key, "refused-after", 1);
            throw new IllegalArgumentException("refusal " + orders.incrementAndGet());
        }

        @ExceptionHandler
        ResponseEntity<String> onRefusal(IllegalArgumentException refusal) {
            return ResponseEntity.badRequest().body(refusal.getMessage());
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
        @IdempotentIncrement(scope = "refused")
        ResponseEntity<String> refuse() {
            return ResponseEntity.unprocessableContent().body("refusal " + orders.incrementAndGet());
        }

        @PostMapping("/refused/{status}")
        @IdempotentIncrement(scope = "refused-with-status")
        ResponseEntity<Void> refuse(@PathVariable int status) {
            return ResponseEntity.status(status).build();
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
