package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A key that is sent a second time with another request. */
@ExtendWith(PostgresExtension.class)
class FingerprintTest {

    private static final String JSON = "application/json";
    private static final String FORM = "application/x-www-form-urlencoded";

    @TempDir
    private static Path directory;

    private static HttpApp filter;
    private static HttpApp ledger;
    private static HttpApp otherNode;

    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void start(DataSource dataSource) {
        filter = startNode(dataSource, "filter", "fbf.fingerprint.max-body=1000B");
        ledger = startNode(dataSource, "ledger", "fbf.mode=ledger");
        otherNode = startNode(dataSource, "other", "fbf.mode=ledger");
    }

    /** Without answers, so that a retry is always answered 204. */
    private static HttpApp startNode(DataSource dataSource, String name, String property) {
        return HttpApp.start(
                dataSource, directory.resolve(name), Orders.class, property, "fbf.responses.enabled=false");
    }

    @AfterAll
    static void stop() {
        otherNode.close();
        ledger.close();
        filter.close();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void isRefusedForAnotherBodyPathQueryOrMethod(Mode mode) throws Exception {
        HttpApp app = app(mode);

        assertThat(send(app, "POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(200);
        assertThat(send(app, "POST", "/orders/1", "{\"pieces\":2}")).isEqualTo(422);
        assertThat(send(app, "POST", "/orders/1", "")).isEqualTo(422);
        assertThat(send(app, "POST", "/orders/2", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(send(app, "POST", "/orders/1?gift", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(send(app, "PUT", "/orders/1", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(send(app, "POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(204);
    }

    @Test
    void isRefusedAtAnotherNodeToo() throws Exception {
        assertThat(send(ledger, "POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(200);
        assertThat(send(otherNode, "POST", "/orders/1", "{\"pieces\":2}")).isEqualTo(422);
        assertThat(send(otherNode, "POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(204);
    }

    @Test
    void isToldWhatIsWrong() throws Exception {
        filter.send("POST", "/orders/1", key, JSON, "1".getBytes(UTF_8));
        HttpResponse<String> response = filter.send("POST", "/orders/1", key, JSON, "2".getBytes(UTF_8));

        assertThat(HttpApp.json(response).path("type").asString())
                .isEqualTo("tag:fbf.dev,2026:problem:idempotency-key-reused");
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
    }

    @Test
    void isAnotherRequestIfAFormDiffers() throws Exception {
        assertThat(filter.send("POST", "/forms", key, FORM, "a=1&b=2".getBytes(UTF_8))
                        .body())
                .isEqualTo("1");
        assertThat(filter.send("POST", "/forms", key, FORM, "a=1&b=3".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(422);
        assertThat(filter.send("POST", "/forms", key, FORM, "a=1&b=2".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"stream", "reader", "parameters"})
    void isAnotherRequestIfAFormDiffersThatTheMethodReadsItself(String how) throws Exception {
        String path = "/own-forms?how=" + how;
        assertThat(filter.send("POST", path, key, FORM, "a=1&b=%C3%BC".getBytes(UTF_8))
                        .body())
                .isEqualTo(how.equals("parameters") ? "1ü" : "a=1&b=%C3%BC");
        assertThat(filter.send("POST", path, key, FORM, "a=1&b=3".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(422);
        assertThat(filter.send("POST", path, key, FORM, "b=%c3%bc&a=1".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=%", "a=%C3%BC&x=%zz"})
    void leavesAFormThatCannotBeDecodedToTheMethodThatReadsIt(String form) throws Exception {
        assertThat(filter.send("POST", "/own-forms?how=stream", key, FORM, form.getBytes(UTF_8))
                        .body())
                .isEqualTo(form);
    }

    @ParameterizedTest
    @ValueSource(ints = {999, 1_000, 1_001, 20_000})
    void leavesALongFormToTheMethodThatReadsIt(int length) throws Exception {
        byte[] form = ("a=1&b=" + "x".repeat(length - 6)).getBytes(UTF_8);

        assertThat(filter.send("POST", "/own-forms?how=stream", key, FORM, form).body())
                .hasSize(length);
        assertThat(filter.send("POST", "/own-forms?how=parameters", key + "p", FORM, form)
                        .body())
                .hasSize(length - 5);
    }

    /** The parts of a multipart body have a boundary that differs in each attempt, and only the server can read them. */
    @Test
    void leavesAMultipartBodyAloneThatNobodyHasRead() throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/uploads") {
            @Override
            public Map<String, String[]> getParameterMap() {
                throw new AssertionError("the server would read the body");
            }
        };
        request.setContentType("multipart/form-data; boundary=x");
        request.setContent("--x--".getBytes(UTF_8));
        FingerprintedRequest fingerprinted = new FingerprintedRequest(request, 1_000);
        fingerprinted.fingerprint();

        assertThat(fingerprinted.getInputStream().readAllBytes()).asString().isEqualTo("--x--");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 999, 1000, 1001, 20_000})
    void leavesTheWholeBodyToTheMethodThatReadsIt(int length) throws Exception {
        byte[] body = "x".repeat(length).getBytes(UTF_8);

        assertThat(filter.send("POST", "/streams", key, "text/plain", body).body())
                .isEqualTo(length + " bytes");
    }

    @Test
    void comparesNothingBeyondTheBound() throws Exception {
        String body = "x".repeat(1000);
        filter.send("POST", "/streams", key, "text/plain", (body + "1").getBytes(UTF_8));

        assertThat(filter.send("POST", "/streams", key, "text/plain", (body + "2").getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(204);
        assertThat(filter.send("POST", "/streams", key, "text/plain", ("y" + body).getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(422);
    }

    /** A webhook that is delivered again: the event is the same, and the number of the attempt is not. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void isNotComparedIfItsKeyComesFromTheBody(Mode mode) throws Exception {
        assertThat(send(app(mode), "POST", "/webhook", "{\"id\":\"" + key + "\",\"attempt\":1}"))
                .isEqualTo(200);
        assertThat(send(app(mode), "POST", "/webhook", "{\"id\":\"" + key + "\",\"attempt\":2}"))
                .isEqualTo(204);
    }

    private static HttpApp app(Mode mode) {
        return mode == Mode.FILTER ? filter : ledger;
    }

    private int send(HttpApp app, String method, String path, String body) throws IOException, InterruptedException {
        return app.send(method, path, key, JSON, body.getBytes(UTF_8)).statusCode();
    }

    @RestController
    static class Orders {

        @RequestMapping("/orders/{id}")
        @IdempotentIncrement(scope = "orders")
        String order(@PathVariable String id, @RequestBody(required = false) String body) {
            return body;
        }

        @PostMapping("/forms")
        @IdempotentIncrement(scope = "forms")
        String form(@RequestParam String a) {
            return a;
        }

        @PostMapping("/webhook")
        @IdempotentIncrement(scope = "webhook", key = "#event.id")
        int receive(@RequestBody Event event) {
            return event.attempt();
        }

        @PostMapping("/streams")
        @IdempotentIncrement(scope = "streams")
        String stream(HttpServletRequest request) throws IOException {
            return request.getInputStream().readAllBytes().length + " bytes";
        }

        @PostMapping("/own-forms")
        @IdempotentIncrement(scope = "own-forms")
        String readForm(HttpServletRequest request) throws IOException {
            return switch (request.getQueryString()) {
                case "how=stream" -> new String(request.getInputStream().readAllBytes(), UTF_8);
                case "how=reader" -> request.getReader().readLine();
                default -> request.getParameter("a") + request.getParameterValues("b")[0];
            };
        }
    }

    record Event(String id, int attempt) {}
}
