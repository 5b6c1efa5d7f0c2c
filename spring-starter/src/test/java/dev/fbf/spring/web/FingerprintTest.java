package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.operation.BoundProperties;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
import org.springframework.web.server.ResponseStatusException;

/** A key that is sent a second time with another request. */
@GuardedApp(
        beans = FingerprintTest.Orders.class,
        properties = {
            FingerprintTest.WITHOUT_RESPONSES,
            "fbf.max-streamed-body=" + FingerprintTest.LONGEST + "B",
            "server.forward-headers-strategy=framework"
        })
class FingerprintTest extends HttpAppTest {

    /** So that a retry is always answered 204. */
    static final String WITHOUT_RESPONSES = "fbf.responses.enabled=false";

    static final int LONGEST = 4 << 20;

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain";
    private static final String FORM = "application/x-www-form-urlencoded";

    private static final int BOUND = FingerprintedRequest.MAX_BODY;

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
        assertThat(sendForm("/forms", "a=b&a=c&a=d")).isEqualTo(200);
        assertThat(sendForm("/forms", "a=b&c=d")).isEqualTo(422);
        assertThat(sendForm("/forms", "a=bcd")).isEqualTo(422);
        assertThat(sendForm("/forms", "a=b&a=c&a=d")).isEqualTo(204);
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

    /** Spring reads some bodies before the comparison; others are read by the method, as a form or not. */
    @ParameterizedTest
    @ValueSource(strings = {"/orders/1", "/streams", "/own-forms?how=stream"})
    void isTheSameRequestHoweverItsBodyIsCompressed(String path) throws Exception {
        String text = "text=" + UUID.randomUUID() + "x".repeat(900);

        assertThat(sendEncoded(path, "gzip", gzip(text, 9))).isEqualTo(200);
        assertThat(sendEncoded(path, "gzip", gzip(text, 1))).isEqualTo(204);
        assertThat(sendEncoded(path, "X-GZip", gzip(text, 0))).isEqualTo(204);
        assertThat(sendEncoded(path, "gzip", atAnotherTime(gzip(text, 9)))).isEqualTo(204);
        assertThat(sendEncoded(path, "deflate", deflate(text))).isEqualTo(204);
        assertThat(sendEncoded(path, "gzip", gzip(text + "y", 9))).isEqualTo(422);
        assertThat(sendEncoded(path, "deflate", deflate(text + "y"))).isEqualTo(422);
    }

    /** A few KB expand to ten megabytes: no more is decoded than is compared. */
    @Test
    void isComparedUpToTheBoundWhateverTheBodyExpandsTo() throws Exception {
        String zeros = "0".repeat(10_000_000);

        assertThat(sendEncoded("/streams", "gzip", gzip(zeros, 9))).isEqualTo(200);
        assertThat(sendEncoded("/streams", "gzip", gzip(zeros + "1", 1))).isEqualTo(204);
        assertThat(sendEncoded("/streams", "gzip", gzip("1" + zeros, 9))).isEqualTo(422);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "gzip, br"})
    void isComparedAsItIsIfItsBodyCannotBeDecoded(String encoding) throws Exception {
        byte[] cut = Arrays.copyOf(gzip("text", 9), 15);
        byte[] changed = cut.clone();
        changed[14]++;

        assertThat(sendEncoded("/streams", encoding, cut)).isEqualTo(200);
        assertThat(sendEncoded("/streams", encoding, cut)).isEqualTo(204);
        assertThat(sendEncoded("/streams", encoding, changed)).isEqualTo(422);
    }

    /** What browsers, advertisers and tracing add to a URL, or to a form that repeats the URL's parameters. */
    @ParameterizedTest
    @ValueSource(strings = {"_=1700000000000", "utm_source=mail&utm_campaign=a", "gclid=a&traceparent=b", "%75tm_id=1"})
    void isTheSameRequestWithAnotherParameterThatIsNotCompared(String parameter) throws Exception {
        assertThat(send("POST", "/orders/1?y=1", "{}")).isEqualTo(200);
        assertThat(send("POST", "/orders/1?y=1&" + parameter, "{}")).isEqualTo(204);
        assertThat(send("POST", "/orders/1?_y=1&" + parameter, "{}")).isEqualTo(422);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/forms", "/own-forms?how=stream"})
    void isTheSameRequestIfAFormHasAnotherParameterThatIsNotCompared(String path) throws Exception {
        assertThat(sendForm(path, "a=1&b=2&utm_id=1")).isEqualTo(200);
        assertThat(sendForm(path, "a=1&b=2&utm_id=2")).isEqualTo(204);
        assertThat(sendForm(path, "a=1&b=2&id=2")).isEqualTo(422);
    }

    private int sendForm(String path, String form) throws Exception {
        return app.send("POST", path, key, FORM, form.getBytes(UTF_8)).statusCode();
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

    private int sendEncoded(String path, String encoding, byte[] body) throws Exception {
        String type = path.startsWith("/own-forms") ? FORM : JSON;
        return app.send("POST", path, key, type, body, "Content-Encoding", encoding)
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

    private static byte[] atAnotherTime(byte[] gzip) {
        gzip[4]++;
        return gzip;
    }

    private static byte[] deflate(String text) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflate = new DeflaterOutputStream(compressed)) {
            deflate.write(text.getBytes(UTF_8));
        }
        return compressed.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"stream", "reader", "parameters"})
    void isAnotherRequestIfAFormDiffersThatTheMethodReadsItself(String how) throws Exception {
        String path = "/own-forms?how=" + how;
        assertThat(responseTo(path, FORM, "a=1&b=%C3%BC".getBytes(UTF_8)))
                .isEqualTo(how.equals("parameters") ? "1ü" : "a=1&b=%C3%BC");
        assertThat(sendForm(path, "a=1&b=3")).isEqualTo(422);
        assertThat(sendForm(path, "b=%c3%bc&a=1")).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=%", "a=%C3%BC&x=%zz"})
    void leavesAFormThatCannotBeDecodedToTheMethodThatReadsIt(String form) throws Exception {
        assertThat(responseTo("/own-forms?how=stream", FORM, form.getBytes(UTF_8)))
                .isEqualTo(form);
    }

    @ParameterizedTest
    @ValueSource(ints = {BOUND - 1, BOUND, BOUND + 1, BOUND + 20_000})
    void leavesALongFormToTheMethodThatReadsIt(int length) throws Exception {
        byte[] form = ("a=1&b=" + "x".repeat(length - 6)).getBytes(UTF_8);

        assertThat(responseTo("/own-forms?how=stream", FORM, form)).hasSize(length);
        assertThat(app.send("POST", "/own-forms?how=parameters", key + "p", FORM, form)
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
        FingerprintedRequest fingerprinted = fingerprinted(request);
        fingerprinted.fingerprint();

        assertThat(fingerprinted.getInputStream().readAllBytes()).asString().isEqualTo("--x--");
    }

    /** An upgrade must not refuse the retries of requests that were fingerprinted before it. */
    @Test
    void isTheSameInEveryVersion() throws Exception {
        MockHttpServletRequest json = request(JSON, "{\"pieces\":1}".getBytes(UTF_8));
        json.setQueryString("b=%2B+1&a&utm_id=1&b=2");
        MockHttpServletRequest zipped = request(JSON, gzip("{\"pieces\":1}", 9));
        zipped.addHeader("Content-Encoding", "gzip");
        MockHttpServletRequest parts = request("multipart/form-data; boundary=x", new byte[0]);
        parts.addParameter("a", "1", "2");
        MockPart text = new MockPart("order", "blob", "{}".getBytes(UTF_8));
        text.getHeaders().setContentType(MediaType.APPLICATION_JSON);
        parts.addPart(text);
        FingerprintedRequest readByServer = fingerprinted(parts);
        readByServer.getParts();

        assertThat(fingerprinted(json).fingerprint()).isEqualTo(2812301961458008449L);
        assertThat(fingerprinted(zipped).fingerprint()).isEqualTo(2485855927092556093L);
        assertThat(fingerprinted(request(FORM, "b=2&a=%C3%BC&b=1".getBytes(UTF_8)))
                        .fingerprint())
                .isEqualTo(2031986668711640472L);
        assertThat(readByServer.fingerprint()).isEqualTo(8610424533677014699L);
    }

    private static MockHttpServletRequest request(String type, byte[] body) {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/shop/orders/a%2Bb");
        request.setContextPath("/shop");
        request.setContentType(type);
        request.setContent(body);
        return request;
    }

    private static FingerprintedRequest fingerprinted(MockHttpServletRequest request) {
        return new FingerprintedRequest(
                request, BoundProperties.of().fingerprint().ignoredParameters(), 1 << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BOUND - 1, BOUND, BOUND + 1, BOUND + 20_000})
    void leavesTheWholeBodyToTheMethodThatReadsIt(int length) throws Exception {
        byte[] body = "x".repeat(length).getBytes(UTF_8);

        assertThat(responseTo("/streams", TEXT, body)).isEqualTo(length + " bytes");
    }

    /** A directory that is full, or not there. */
    @Test
    void isRefusedAndNotAppliedIfABodyCannotBeStored(@TempDir Path temporary) throws Exception {
        byte[] body = new byte[2 << 20];
        String before =
                System.setProperty("java.io.tmpdir", temporary.resolve("absent").toString());
        HttpResponse<String> refusal;
        try {
            refusal = app.send("POST", "/streams", key, TEXT, body);
        } finally {
            System.setProperty("java.io.tmpdir", before);
        }

        assertThat(refusal.statusCode()).isEqualTo(503);
        assertThat(refusal.headers().firstValue("Retry-After")).isPresent();
        assertThat(HttpApp.json(refusal).path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:no-room");
        assertThat(HttpApp.json(refusal).path("detail").asString())
                .isEqualTo("The body of the request cannot be stored. Retry with the same key.");
        assertThat(responseTo("/streams", TEXT, body)).isEqualTo(body.length + " bytes");
    }

    /** What was read of it is not kept: the rest would pass for the whole. */
    @ParameterizedTest
    @ValueSource(strings = {"/caught?then=guarded", "/caught?then=plain"})
    void leavesNoPartOfABodyThatIsTooLongToAHandlerThatGoesOn(String path) throws Exception {
        assertThat(sendText(path, "x".repeat(LONGEST + 1))).isEqualTo(413);
        assertThat(responseTo(path, TEXT, new byte[LONGEST])).isEqualTo(LONGEST + " bytes");
    }

    @Test
    void comparesNothingBeyondTheBound() throws Exception {
        String body = "x".repeat(BOUND);
        sendText("/streams", body + "1");

        assertThat(sendText("/streams", body + "2")).isEqualTo(204);
        assertThat(sendText("/streams", "y" + body)).isEqualTo(422);
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

    static class Readers {

        @IdempotentIncrement(scope = "first-reader")
        String first(HttpServletRequest request) throws IOException {
            return read(request);
        }

        @IdempotentIncrement(scope = "second-reader")
        String second(HttpServletRequest request) throws IOException {
            return read(request);
        }

        static String read(HttpServletRequest request) throws IOException {
            return request.getInputStream().readAllBytes().length + " bytes";
        }
    }

    @RestController
    @Import(Readers.class)
    static class Orders {

        private final Readers readers;

        Orders(Readers readers) {
            this.readers = readers;
        }

        @PostMapping("/caught")
        String goOn(HttpServletRequest request) throws IOException {
            try {
                return readers.first(request);
            } catch (ResponseStatusException e) {
                return request.getQueryString().equals("then=guarded")
                        ? readers.second(request)
                        : Readers.read(request);
            }
        }

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
            return Readers.read(request);
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
