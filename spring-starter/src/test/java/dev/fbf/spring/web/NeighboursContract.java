package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What clients of an application with other filters and handlers get, with the starter and without. */
@ExtendWith(PostgresExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class NeighboursContract {

    /** As the documentation lists them. */
    private static final Set<String> NOT_KEPT =
            Set.of("failed", "forward", "html", "long", "range", "send-error", "view");

    private static final List<List<String>> FILTERS = List.of(
            List.of(),
            List.of("X-Sign: yes", "X-Compress: yes", "X-Wrap: yes"),
            List.of("X-Sign: yes"),
            List.of("X-Envelope: yes", "Accept-Encoding: gzip"));

    private final Class<?> server;
    private final Mode mode;
    private HttpApp with;
    private HttpApp without;

    /**
     * @param server configuration of the server
     * @param mode of the application with the starter
     */
    NeighboursContract(Class<?> server, Mode mode) {
        this.server = server;
        this.mode = mode;
    }

    @BeforeAll
    void start(DataSource dataSource, @TempDir Path directory) {
        with = start(dataSource, directory.resolve("with"), "fbf.mode=" + mode);
        without = start(dataSource, directory.resolve("without"), "fbf.enabled=false");
    }

    private HttpApp start(DataSource dataSource, Path directory, String property) {
        return HttpApp.start(
                dataSource,
                directory,
                List.of(NeighbouringApp.class, server),
                property,
                "server.compression.enabled=true",
                "server.compression.min-response-size=1B",
                HttpApp.SILENT_FAILURES);
    }

    @AfterAll
    void stop() {
        without.close();
        with.close();
    }

    @Test
    void responsesOfHandlersThatAreNotGuardedAreTheSameByteForByte() {
        SoftAssertions softly = new SoftAssertions();
        forEachKindAndFilters((kind, filters) -> assertSame(softly, kind, request("/plain/" + kind, kind, filters)));
        softly.assertAll();
    }

    @Test
    void firstResponsesOfGuardedHandlersAreTheSameByteForByte() {
        SoftAssertions softly = new SoftAssertions();
        forEachKindAndFilters((kind, filters) -> assertSame(softly, kind, guarded(kind, filters)));
        softly.assertAll();
    }

    private static void forEachKindAndFilters(BiConsumer<String, List<String>> test) {
        NeighbouringApp.KINDS.keySet().forEach(kind -> FILTERS.forEach(filters -> test.accept(kind, filters)));
    }

    private void assertSame(SoftAssertions softly, String kind, String request) {
        softly.assertThat(bytes(with, request)).as(kind + ": " + request).isEqualTo(bytes(without, request));
    }

    @Test
    void replaysPassTheFiltersOnceAndDifferInWhatTheGuideLists() {
        SoftAssertions softly = new SoftAssertions();
        forEachKindAndFilters((kind, filters) -> {
            String request = guarded(kind, filters);
            String first = bytes(with, request);
            String replay = replay(request, NOT_KEPT.contains(kind) ? "HTTP/1.1 204" : first.substring(0, 12));
            if (NOT_KEPT.contains(kind)) {
                softly.assertThat(replay).as(kind + filters).startsWith("HTTP/1.1 204");
                return;
            }
            String[] others = notRepeated(kind);
            softly.assertThat(RawHttp.without(RawHttp.head(replay), others))
                    .as(kind + filters)
                    .isEqualTo(RawHttp.without(RawHttp.head(first), others));
            softly.assertThat(RawHttp.body(replay)).as(kind + filters).isEqualTo(RawHttp.body(first));
            softly.assertThat(replay.contains("Idempotent-Replayed: true"))
                    .as(kind + filters)
                    .isEqualTo(!kind.startsWith("thrown"));
        });
        softly.assertAll();
    }

    @Test
    void pipelinedRequestsGetTheirResponsesInOrder() {
        String last = guarded("json", List.of());
        String another = guarded("text", List.of());

        String pipelined = bytes(
                with, Stream.of(last, another, last).map(RawHttp::keepingAlive).collect(joining()) + last);

        String[] responses = pipelined.split("(?=HTTP/1.1 )", -1);
        assertThat(responses).extracting(response -> response.substring(0, 12)).containsOnly("HTTP/1.1 200");
        assertThat(responses)
                .extracting(response -> response.contains("Idempotent-Replayed: true"))
                .containsExactly(false, false, true, true);
        assertThat(responses).extracting(RawHttp::body).satisfies(bodies -> {
            assertThat(bodies.get(2))
                    .isEqualTo(bodies.get(0))
                    .isEqualTo(bodies.get(3))
                    .contains("\"a\"");
            assertThat(bodies.get(1)).contains("Gr");
        });
    }

    @Test
    void theRetryOfAResetConnectionGetsTheWholeDocument() throws Exception {
        String request = guarded("held", List.of());
        try (Socket client = new Socket("localhost", with.port())) {
            client.getOutputStream().write(request.getBytes(ISO_8859_1));
            NeighbouringApp.ENTERED.acquire();
            client.setSoLinger(true, 0);
        }
        NeighbouringApp.HELD.release();

        assertThat(RawHttp.body(replay(request, "HTTP/1.1 200"))).isEqualTo("{\"held\":true}");
    }

    /** A handler that sends a redirect ends after its client has it. */
    private String replay(String request, String status) {
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> bytes(with, request), response -> response.startsWith(status));
    }

    /** As the documentation lists them; Jetty sets Expires with a cookie. A redirect that is sent is closed to filters. */
    private static String[] notRepeated(String kind) {
        return switch (kind) {
            case "cookie" -> new String[] {"Idempotent-Replayed", "Set-Cookie", "X-Total", "Expires"};
            case "redirect-view", "send-redirect" ->
                new String[] {"Idempotent-Replayed", "Content-Language", "X-Signature", "X-Compressed", "X-Wrapped"};
            default -> new String[] {"Idempotent-Replayed"};
        };
    }

    private static String guarded(String kind, List<String> filters) {
        List<String> headers = new ArrayList<>(filters);
        headers.add("Idempotency-Key: " + UUID.randomUUID());
        return request("/guarded/" + kind, kind, headers);
    }

    private static String request(String path, String kind, List<String> headers) {
        Map<String, String> types =
                Map.of("form", "application/x-www-form-urlencoded", "multipart", "multipart/form-data; boundary=x");
        String prefix = kind.startsWith("form") ? "form" : kind;
        String body = prefix.equals("form")
                ? "a=%C3%BC+1&b=2&b=3&empty=&c=%25"
                : kind.equals("multipart")
                        ? "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\npart\r\n--x--\r\n"
                        : "body";
        List<String> all = Stream.concat(
                        headers.stream(),
                        Stream.of(
                                "Content-Type: " + types.getOrDefault(prefix, "text/plain"),
                                "Accept-Language: fr",
                                kind.equals("range") ? "Range: bytes=2-4" : "Accept: */*"))
                .toList();
        return RawHttp.request(
                kind.equals("fetched") ? "GET" : "POST", path + "?c=query&b=1", body, all.toArray(String[]::new));
    }

    /** All that comes back but the time. */
    private static String bytes(HttpApp app, String request) {
        try {
            return RawHttp.send(app.port(), request).replaceFirst("Date: [^\r]*\r\n", "");
        } catch (IOException e) {
            throw new AssertionError(request, e);
        }
    }
}
