package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.filter.OpenFilter;
import dev.fbf.spring.transaction.NodeStatus;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/** A key that is sent a second time with another request. */
@GuardedApp(
        beans = FingerprintTest.Orders.class,
        properties = {
            FingerprintTest.WITHOUT_RESPONSES,
            "fbf.fingerprint.ignored-parameters=try",
            "fbf.scopes.uncompared.fingerprint.enabled=false",
            "server.forward-headers-strategy=framework"
        })
class FingerprintTest extends HttpAppTest {

    /** So that a retry is always answered 204. */
    static final String WITHOUT_RESPONSES = "fbf.responses.enabled=false";

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain";
    private static final String FORM = "application/x-www-form-urlencoded";

    private static final int BOUND = DigestedBody.MAX;

    @Test
    void isRefusedForAnotherBodyPathQueryOrMethod() throws Exception {

        assertThat(send("POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(200);
        assertThat(send("POST", "/orders/1", "{\"pieces\":2}")).isEqualTo(422);
        assertThat(send("POST", "/orders/1", "")).isEqualTo(422);
        assertThat(send("POST", "/orders/2", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(send("POST", "/orders/1?gift", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(send("PUT", "/orders/1", "{\"pieces\":1}")).isEqualTo(422);
        assertThat(send("POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(204);
    }

    @Test
    void isRefusedAtAnotherNodeToo(@TempDir Path directory) throws Exception {
        assumeThat(mode).isEqualTo(Mode.LEDGER);
        assertThat(send("POST", "/orders/1", "{\"pieces\":1}")).isEqualTo(200);

        try (HttpApp other = HttpApp.start(dataSource, directory, Orders.class, "fbf.mode=ledger", WITHOUT_RESPONSES)) {
            HttpResponse<String> refused = other.send("POST", "/orders/1", key, JSON, "2".getBytes(UTF_8));
            assertThat(refused.statusCode()).isEqualTo(422);
            assertThat(HttpApp.json(refused).path("type").asString())
                    .isEqualTo("tag:fbf.dev,2026:problem:idempotency-key-reused");
            assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
            byte[] same = "{\"pieces\":1}".getBytes(UTF_8);
            assertThat(other.send("POST", "/orders/1", key, JSON, same).statusCode())
                    .isEqualTo(204);
        }
    }

    @Tag("slow")
    @Test
    void isRefusedAfterARestartTooAndReplayedForAnyRequestIfThatIsAskedFor() throws Exception {
        assertThat(send("POST", "/orders/1", "{}")).isEqualTo(200);
        restart();
        assertThat(send("POST", "/orders/2", "{}")).isEqualTo(422);
        assertThat(send("POST", "/orders/1", "{}")).isEqualTo(204);

        restart("fbf.fingerprint.enabled=false");
        assertThat(send("POST", "/orders/2", "{}")).isEqualTo(204);
        restart();
    }

    @Test
    void takesNoMemoryOfAFilterWhoseScopeHasNoKeysInTheHeader() {
        assumeThat(mode).isEqualTo(Mode.FILTER);

        assertThat(app.bean(NodeStatus.class).all())
                .extracting(
                        NodeStatus.OpenScope::name,
                        scope -> OpenFilter.of(scope).plan().stated().requests())
                .contains(tuple("orders", true), tuple("webhook", false));
    }

    @Test
    void isAnotherRequestIfAFormHasTheSameWordsInOtherPlaces() throws Exception {
        assertThat(sendForm("POST", "a=b&a=c&a=d")).isEqualTo(200);
        assertThat(sendForm("POST", "a=b&c=d")).isEqualTo(422);
        assertThat(sendForm("POST", "a=bcd")).isEqualTo(422);
        assertThat(sendForm("POST", "a=b&a=c&a=d")).isEqualTo(204);
    }

    /** What proxies and libraries do to a request on its way. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/orders/a%2bb?y=2&y=1&x=%2b%20",
                "/orders/a%2Bb?x=%2B%20&y=2&y=1",
                "/orders/a+b?x=%2B+&y=2&y=1&",
                "/orders/%61%2Bb;jsessionid=A1B2.node-1?x=%2B%20&y=2&y=1",
            })
    void isTheSameRequestHoweverItIsWritten(String path) throws Exception {
        assertThat(send("POST", "/orders/a%2Bb?x=%2B%20&y=2&y=1", "{}")).isEqualTo(200);
        assertThat(send("POST", path, "{}")).isEqualTo(204);
        String[] headers = {"X-Forwarded-Prefix", "/shop", "X-API-Version", "2"};
        assertThat(app.send("POST", path, key, JSON, "{}".getBytes(UTF_8), headers)
                        .statusCode())
                .isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/orders/a%2Bb?x=%2B%20&y=1&y=2",
                "/orders/a%2Bb?x=%2B&y=2&y=1",
                "/orders/a%2Bb;v=1?x=%2B%20&y=2&y=1"
            })
    void isAnotherRequestIfValuesOrTheirOrderDiffer(String path) throws Exception {
        assertThat(send("POST", "/orders/a%2Bb?x=%2B%20&y=2&y=1", "{}")).isEqualTo(200);
        assertThat(send("POST", path, "{}")).isEqualTo(422);
    }

    /** What browsers, advertisers and tracing add to a URL, or to a form that repeats the URL's parameters. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "_=1700000000000",
                "utm_source=mail&utm_campaign=a",
                "gclid=a&traceparent=b",
                "%75tm_id=1",
                "try=2"
            })
    void isTheSameRequestWithAnotherParameterThatIsNotCompared(String parameter) throws Exception {
        assertThat(send("POST", "/orders/1?y=1", "{}")).isEqualTo(200);
        assertThat(send("POST", "/orders/1?y=1&" + parameter, "{}")).isEqualTo(204);
        assertThat(send("POST", "/orders/1?_y=1&" + parameter, "{}")).isEqualTo(422);
    }

    @Test
    void isTheSameRequestIfAFormHasAnotherOrderOrAnotherParameterThatIsNotCompared() throws Exception {
        assertThat(sendForm("POST", "a=1&b=%C3%BC&c&_csrf=x")).isEqualTo(200);
        assertThat(sendForm("POST", "c&_csrf=y&b=%c3%bc&try=2&a=1")).isEqualTo(204);
        assertThat(sendForm("POST", "a=1&b=%C3%BC&c&id=2")).isEqualTo(422);
        assertThat(sendForm("POST", "a=1&b=u&c")).isEqualTo(422);
    }

    /** Spring reads it, and not the server. */
    @Test
    void isComparedByteForByteIfItsFormIsNotPosted() throws Exception {
        assertThat(sendForm("PUT", "a=1&b=2")).isEqualTo(200);
        assertThat(sendForm("PUT", "a=1&b=2")).isEqualTo(204);
        assertThat(sendForm("PUT", "b=2&a=1")).isEqualTo(422);
    }

    @Test
    void isAnotherRequestIfAPartOfAFormDiffersAndTheSameIfAFileDoes() throws Exception {
        assertThat(sendParts("one", "a photo")).isEqualTo(200);
        assertThat(sendParts("two", "a photo")).isEqualTo(422);
        assertThat(sendParts("one", "the same photo with another comment")).isEqualTo(204);
    }

    /** A handler that closes the body early does not keep the rest from being compared. */
    @ParameterizedTest
    @ValueSource(strings = {"/closed/stream", "/closed/reader"})
    void isComparedIfItsHandlerHasClosedTheBody(String path) throws Exception {
        assertThat(send("POST", path, "{\"pieces\":1}\n")).isEqualTo(200);
        assertThat(send("POST", path, "{\"pieces\":1}\n")).isEqualTo(204);
        assertThat(send("POST", path, "{\"pieces\":1}\n2")).isEqualTo(422);
    }

    @Test
    void isNotComparedInAScopeThatIsExcluded() throws Exception {
        assertThat(send("POST", "/uncompared?a=1", "{}")).isEqualTo(200);
        assertThat(send("POST", "/uncompared?a=2", "{}")).isEqualTo(204);
    }

    private int sendForm(String method, String form) throws Exception {
        return app.send(method, "/forms", key, FORM, form.getBytes(UTF_8)).statusCode();
    }

    private int sendText(String path, String text) throws Exception {
        return app.send("POST", path, key, TEXT, text.getBytes(UTF_8)).statusCode();
    }

    private String responseTo(String path, String type, byte[] body) throws Exception {
        return app.send("POST", path, key, type, body).body();
    }

    private int sendParts(String note, String photo) throws Exception {
        String body = """
                --x
                Content-Disposition: form-data; name="note"

                %s
                --x
                Content-Disposition: form-data; name="photo"; filename="photo.png"
                Content-Type: image/png

                %s
                --x--
                """.formatted(note, photo).replace("\n", "\r\n");
        return app.send("POST", "/parts", key, "multipart/form-data; boundary=x", body.getBytes(UTF_8))
                .statusCode();
    }

    @ParameterizedTest
    @CsvSource({"application/x-www-form-urlencoded, a=1&b=2", "text/plain, text"})
    void isComparedWithoutABodyThatNobodyHasReadWhenItsMethodIsCalled(String type, String body) throws Exception {
        assertThat(responseTo("/streams", type, body.getBytes(UTF_8))).isEqualTo(body.length() + " bytes");
        assertThat(app.send("POST", "/streams", key, type, "other".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(204);
        assertThat(send("POST", "/streams?a=1", body)).isEqualTo(422);
    }

    /** A parser stops at the last brace, and a line break may come later, or the rest is the method's to read. */
    @ParameterizedTest
    @ValueSource(ints = {1, BOUND - 1, BOUND, BOUND + 20_000})
    void isComparedToTheEndOrTheBoundIfSomebodyHasBegunToReadItsBody(int rest) throws Exception {
        String body = "{" + "x".repeat(rest);

        assertThat(responseTo("/begun", TEXT, body.getBytes(UTF_8))).isEqualTo(rest + " bytes");
        assertThat(sendText("/begun", body)).isEqualTo(204);
        assertThat(sendText("/begun", body + "x")).isEqualTo(rest < BOUND - 1 ? 422 : 204);
        assertThat(sendText("/begun", "{y" + body.substring(2))).isEqualTo(422);
    }

    /** A webhook that is delivered again: the event is the same, and the number of the attempt is not. */
    @Test
    void isNotComparedIfItsKeyComesFromTheBody() throws Exception {
        assertThat(send("POST", "/webhook", "{\"id\":\"" + key + "\",\"attempt\":1}"))
                .isEqualTo(200);
        assertThat(send("POST", "/webhook?again", "{\"id\":\"" + key + "\",\"attempt\":2}"))
                .isEqualTo(204);
    }

    private int send(String method, String path, String body) throws IOException, InterruptedException {
        return app.send(method, path, key, JSON, body.getBytes(UTF_8)).statusCode();
    }

    static class Reader {

        @IdempotentIncrement(scope = "reader")
        String read(InputStream body) throws IOException {
            return body.readAllBytes().length + " bytes";
        }
    }

    @RestController
    @Import(Reader.class)
    static class Orders {

        private final Reader reader;

        Orders(Reader reader) {
            this.reader = reader;
        }

        @PostMapping("/begun")
        String begin(InputStream body) throws IOException {
            body.read();
            return reader.read(body);
        }

        @PostMapping("/closed/{how}")
        String close(@PathVariable String how, HttpServletRequest request) throws IOException {
            if (how.equals("stream")) {
                try (InputStream body = request.getInputStream()) {
                    body.read();
                }
            } else {
                try (BufferedReader body = request.getReader()) {
                    body.read();
                }
            }
            return reader.read(InputStream.nullInputStream());
        }

        @PostMapping("/uncompared")
        @IdempotentIncrement(scope = "uncompared")
        void order() {}

        @RequestMapping("/orders/{id}")
        @IdempotentIncrement(scope = "orders")
        String order(@PathVariable String id, @RequestBody(required = false) String body) {
            return body;
        }

        @RequestMapping("/forms")
        @IdempotentIncrement(scope = "forms")
        String form(@RequestParam String a) {
            return a;
        }

        @PostMapping("/parts")
        @IdempotentIncrement(scope = "parts")
        String parts(@RequestParam String note, @RequestPart("photo") MultipartFile photo) {
            return note + photo.getName();
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
    }

    record Event(String id, int attempt) {}
}
