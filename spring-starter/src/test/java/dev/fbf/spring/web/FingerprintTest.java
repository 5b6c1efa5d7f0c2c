package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockPart;
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
    void isRefusedForAnotherQueryOfAGet() throws Exception {
        assertThat(send("GET", "/orders/1?id=1", "")).isEqualTo(200);
        assertThat(send("GET", "/orders/1?id=2", "")).isEqualTo(422);
        assertThat(send("GET", "/orders/1?id=1", "")).isEqualTo(204);
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
            assertThat(HttpApp.json(refused).path("detail").asString())
                    .isEqualTo(
                            "An operation with this idempotency key was applied, for another request. Send a new operation"
                                    + " with a new key.");
            assertThat(refused.headers().firstValue("Retry-After")).isEmpty();
            byte[] same = "{\"pieces\":1}".getBytes(UTF_8);
            assertThat(other.send("POST", "/orders/1", key, JSON, same).statusCode())
                    .isEqualTo(204);
        }
    }

    @Test
    void isAnotherRequestIfAFormHasTheSameWordsInOtherPlaces() throws Exception {
        assertThat(sendForm("POST", "a=b&a=c&a=d")).isEqualTo(200);
        assertThat(sendForm("POST", "a=b&c=d")).isEqualTo(422);
        assertThat(sendForm("POST", "a=bcd")).isEqualTo(422);
        assertThat(sendForm("POST", "a=b&a=c&a=d")).isEqualTo(204);
    }

    /** A browser sends JSON of a form's data as a file with the name "blob". */
    @ParameterizedTest
    @ValueSource(strings = {"; filename=\"blob\"", ""})
    void isAnotherRequestIfAPartOfTextDiffers(String fileName) throws Exception {
        assertThat(sendParts(fileName, "{\"pieces\":1}", "a photo")).isEqualTo(200);
        assertThat(sendParts(fileName, "{\"pieces\":2}", "a photo")).isEqualTo(422);
        assertThat(sendParts(fileName, "{\"pieces\":1}", "the same photo with another comment"))
                .isEqualTo(204);
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
        assertThat(app.send("POST", path, key, JSON, "{}".getBytes(UTF_8), "X-Forwarded-Prefix", "/shop")
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
                "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"
            })
    void isTheSameRequestHoweverItsBodyIsTransferred(String headersAndBody) throws Exception {
        assertThat(send("POST", "/orders/1", "{}")).isEqualTo(200);
        assertThat(RawHttp.send(app.port(), head("/orders/1") + headersAndBody)).contains("HTTP/1.1 204");
    }

    /** A retry with the whole body would be another request. */
    @Test
    void isNotAppliedIfTheClientIsGoneBeforeTheEndOfItsBody() throws Exception {
        try (Socket client = new Socket("localhost", app.port())) {
            client.getOutputStream().write((head("/left") + "Content-Length: 9\r\n\r\n{\"a\":1}").getBytes(UTF_8));
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
        }

        assertThat(sendText("/left", "{\"a\":1}\n\n")).isEqualTo(200);
    }

    private String head(String path) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: " + key
                + "\r\nContent-Type: text/plain\r\n";
    }

    /** Decoding is the application's: members without content would cost more than they weigh. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br"})
    void isComparedAsItCameIfItsBodyIsEncoded(String encoding) throws Exception {
        byte[] body = gzip("text", 9);

        assertThat(sendEncoded(encoding, body)).isEqualTo(200);
        assertThat(sendEncoded(encoding, body)).isEqualTo(204);
        assertThat(sendEncoded(encoding, gzip("text", 0))).isEqualTo(422);
        assertThat(sendEncoded(encoding, Arrays.copyOf(body, 15))).isEqualTo(422);
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

    /** The server parses forms of a POST, and Spring those of a PUT. */
    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT"})
    void isTheSameRequestIfAFormHasAnotherOrderOrAnotherParameterThatIsNotCompared(String method) throws Exception {
        assertThat(sendForm(method, "a=1&b=%C3%BC&c&_csrf=x")).isEqualTo(200);
        assertThat(sendForm(method, "c&_csrf=y&b=%c3%bc&try=2&a=1")).isEqualTo(204);
        assertThat(sendForm(method, "a=1&b=%C3%BC&c&id=2")).isEqualTo(422);
        assertThat(sendForm(method, "a=1&b=u&c")).isEqualTo(422);
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

    private int sendParts(String fileName, String json, String photo) throws Exception {
        String body = """
                --x
                Content-Disposition: form-data; name="order"%s
                Content-Type: application/json

                %s
                --x
                Content-Disposition: form-data; name="photo"; filename="photo.png"
                Content-Type: image/png

                %s
                --x--
                """.formatted(fileName, json, photo).replace("\n", "\r\n");
        return app.send("POST", "/parts", key, "multipart/form-data; boundary=x", body.getBytes(UTF_8))
                .statusCode();
    }

    private int sendEncoded(String encoding, byte[] body) throws Exception {
        return app.send("POST", "/orders/1", key, JSON, body, "Content-Encoding", encoding)
                .statusCode();
    }

    private static byte[] gzip(String text, int level) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed) {
            {
                def.setLevel(level);
            }
        }) {
            gzip.write(text.getBytes(UTF_8));
        }
        return compressed.toByteArray();
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

    /** An upgrade must not refuse the retries of requests that were fingerprinted before it. */
    @Test
    void isTheSameInEveryVersion() throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/shop/orders/a%2Bb");
        request.setContextPath("/shop");
        request.setQueryString("b=%2B+1&a&utm_id=1&b=2");
        MockPart text = new MockPart("order", "blob", "{}".getBytes(UTF_8));
        text.getHeaders().setContentType(MediaType.APPLICATION_JSON);
        String[] ignored = {"utm_*"};
        Fingerprint parts = new Fingerprint(request, ignored);
        parts.add(Map.of("a", new String[] {"1", "2"}, "b", new String[] {"ü"}));
        parts.add(List.of(text), BOUND);

        assertThat(new Fingerprint(request, ignored).end("body".getBytes(UTF_8)))
                .isEqualTo(8565810819742737015L);
        assertThat(parts.end(new byte[0])).isEqualTo(-4859878309355323709L);
        assertThat(Fingerprint.of("chosen".getBytes(UTF_8))).isEqualTo(8927264638278706722L);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BOUND - 1, BOUND, BOUND + 1, BOUND + 20_000})
    void leavesTheWholeBodyToTheMethodThatReadsIt(int length) throws Exception {
        byte[] body = "x".repeat(length).getBytes(UTF_8);

        assertThat(responseTo("/streams", TEXT, body)).isEqualTo(length + " bytes");
    }

    @Test
    void comparesNothingBeyondTheBound() throws Exception {
        String body = "x".repeat(BOUND);
        sendText("/orders/1", body + "1");

        assertThat(sendText("/orders/1", body + "2")).isEqualTo(204);
        assertThat(sendText("/orders/1", "y" + body)).isEqualTo(422);
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

        @PostMapping("/left")
        String leave(InputStream body) throws IOException {
            body.read();
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
        String parts(@RequestPart("order") Map<String, Integer> order, @RequestPart("photo") MultipartFile photo) {
            return order + photo.getName();
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
