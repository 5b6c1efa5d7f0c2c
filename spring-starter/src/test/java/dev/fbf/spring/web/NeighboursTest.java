package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import jakarta.servlet.Filter;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.web.error.ErrorAttributeOptions;
import org.springframework.boot.webmvc.error.DefaultErrorAttributes;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.View;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** What clients of an application with other filters and advice get, with the starter and without: the same, byte for byte. */
class NeighboursTest {

    @FunctionalInterface
    private interface Kind {

        @Nullable Object respond(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    /** As the documentation lists them. */
    private static final Set<String> NOT_KEPT =
            Set.of("failed", "forward", "html", "long", "range", "send-error", "view");

    private static final List<List<String>> FILTERS =
            List.of(List.of(), List.of("X-Wrap: yes"), List.of("Accept-Encoding: gzip"));

    static {
        KINDS.put("text", (request, response) -> ResponseEntity.ok("Grüße 数"));
        KINDS.put("json", (request, response) -> ResponseEntity.ok(Map.of("a", "ü")));
        KINDS.put(
                "no-content", (request, response) -> ResponseEntity.noContent().build());
        KINDS.put(
                "download",
                (request, response) -> ResponseEntity.ok()
                        .eTag("\"v1\"")
                        .lastModified(1_000_000_000_000L)
                        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"a.bin\"")
                        .contentType(MediaType.APPLICATION_OCTET_STREAM)
                        .body(new byte[] {0, 1, -1, 10, 13}));
        KINDS.put("cookie", (request, response) -> {
            response.addCookie(new Cookie("a", "b"));
            response.setHeader("X-Total", "7");
            return ResponseEntity.ok("cookie");
        });
        KINDS.put("thrown-status", (request, response) -> {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "thrown");
        });
        KINDS.put(
                "failed",
                (request, response) -> ResponseEntity.internalServerError().body("failed"));
        KINDS.put("long", (request, response) -> ResponseEntity.ok("0123456789".repeat(2_000)));
        KINDS.put(
                "range",
                (request, response) -> ResponseEntity.ok()
                        .contentType(MediaType.TEXT_PLAIN)
                        .body(new ByteArrayResource("0123456789".getBytes(UTF_8))));
        KINDS.put("forward", (request, response) -> "forward:/plain/text");
        KINDS.put("view", (request, response) -> (View) (model, viewRequest, viewResponse) -> {
            viewResponse.setContentType("text/html;charset=UTF-8");
            viewResponse.getWriter().append("<p>").append('ü').printf("%d%n", 5);
        });
        KINDS.put("html", (request, response) -> {
            response.setContentType("text/html");
            response.getWriter().print("<p>ü");
            return null;
        });
        KINDS.put("send-redirect", (request, response) -> {
            response.sendRedirect("/orders/1");
            return null;
        });
        KINDS.put("send-error", (request, response) -> {
            response.sendError(418, "teapot");
            return null;
        });
        KINDS.put(
                "form-stream",
                (request, response) ->
                        ResponseEntity.ok(request.getInputStream().readAllBytes()));
        KINDS.put(
                "form-parameters",
                (request, response) -> ResponseEntity.ok(request.getParameter("a")
                        + Arrays.toString(request.getParameterValues("b"))
                        + request.getParameterMap().keySet()));
        KINDS.put(
                "multipart",
                (request, response) ->
                        ResponseEntity.ok(request.getPart("a").getInputStream().readAllBytes()));
    }

    @ExtendWith(PostgresExtension.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Contract {

        private final Class<?> server;
        private final Mode mode;
        private HttpApp with;
        private HttpApp without;

        Contract(Class<?> server, Mode mode) {
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
                    List.of(App.class, server),
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
        void firstResponsesAreTheSameByteForByte() {
            assertForEach((softly, request) ->
                    softly.assertThat(bytes(with, request)).as(request).isEqualTo(bytes(without, request)));
        }

        private static void assertForEach(BiConsumer<SoftAssertions, String> test) {
            SoftAssertions softly = new SoftAssertions();
            KINDS.keySet()
                    .forEach(kind -> FILTERS.forEach(filters -> {
                        test.accept(softly, request("/plain/" + kind, kind, filters));
                        test.accept(softly, guarded(kind, filters));
                    }));
            softly.assertAll();
        }

        @Test
        void replaysPassTheFiltersOnceAndDifferInWhatTheGuideLists() {
            SoftAssertions softly = new SoftAssertions();
            KINDS.keySet()
                    .forEach(kind -> FILTERS.forEach(filters -> {
                        String request = guarded(kind, filters);
                        String first = bytes(with, request);
                        String replay =
                                replay(request, NOT_KEPT.contains(kind) ? "HTTP/1.1 204" : first.substring(0, 12));
                        if (!NOT_KEPT.contains(kind)) {
                            String[] others = notRepeated(kind);
                            softly.assertThat(RawHttp.without(RawHttp.head(replay), others))
                                    .as(kind + filters)
                                    .isEqualTo(RawHttp.without(RawHttp.head(first), others));
                            softly.assertThat(RawHttp.body(replay))
                                    .as(kind + filters)
                                    .isEqualTo(RawHttp.body(first));
                            softly.assertThat(replay.contains("Idempotent-Replayed: true"))
                                    .as(kind + filters)
                                    .isEqualTo(!kind.startsWith("thrown"));
                        }
                    }));
            softly.assertAll();
        }

        /** A handler that sends a redirect ends after its client has it. */
        private String replay(String request, String status) {
            return Awaitility.await().until(() -> bytes(with, request), response -> response.startsWith(status));
        }

        /** As the documentation lists them; Jetty sets Expires with a cookie. A redirect that is sent is closed to filters. */
        private static String[] notRepeated(String kind) {
            return switch (kind) {
                case "cookie" -> new String[] {"Idempotent-Replayed", "Set-Cookie", "X-Total", "Expires"};
                case "send-redirect" -> new String[] {"Idempotent-Replayed", "Content-Language", "X-Wrapped"};
                default -> new String[] {"Idempotent-Replayed"};
            };
        }

        private static String guarded(String kind, List<String> filters) {
            List<String> headers = new ArrayList<>(filters);
            headers.add("Idempotency-Key: " + UUID.randomUUID());
            return request("/guarded/" + kind, kind, headers);
        }

        private static String request(String path, String kind, List<String> headers) {
            String type = kind.startsWith("form")
                    ? "application/x-www-form-urlencoded"
                    : kind.equals("multipart") ? "multipart/form-data; boundary=x" : "text/plain";
            String body = kind.equals("multipart")
                    ? "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\npart\r\n--x--\r\n"
                    : "a=%C3%BC+1&b=2&b=3&empty=&c=%25";
            return RawHttp.request(
                    "POST",
                    path + "?c=query&b=1",
                    body,
                    Stream.concat(
                                    headers.stream(),
                                    Stream.of(
                                            "Content-Type: " + type,
                                            "Accept-Language: fr",
                                            kind.equals("range") ? "Range: bytes=2-4" : "Accept: */*"))
                            .toArray(String[]::new));
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

    /** The server that is there. */
    @Configuration(proxyBeanMethods = false)
    static class Tomcat {}

    @Nested
    @Tag("slow")
    class OnTomcat extends Contract {

        OnTomcat() {
            super(Tomcat.class, Mode.FILTER);
        }
    }

    @Nested
    @Tag("nightly")
    class OnJettyWithALedger extends Contract {

        OnJettyWithALedger() {
            super(Jetty.class, Mode.LEDGER);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @Import(Handlers.class)
    static class App {

        /** Buffers a response, and sends another body in its place, where a header of the request asks for it. */
        @Bean
        Filter wrapping() {
            return (request, response, chain) -> {
                if (((HttpServletRequest) request).getHeader("X-Wrap") == null) {
                    chain.doFilter(request, response);
                    return;
                }
                ContentCachingResponseWrapper buffered =
                        new ContentCachingResponseWrapper((HttpServletResponse) response);
                chain.doFilter(request, buffered);
                ((HttpServletResponse) response).setHeader("X-Wrapped", "true");
                if (buffered.getContentSize() == 0) {
                    return; // a redirect that is sent is closed to filters, its replay is not
                }
                byte[] wrapped = ("[" + new String(buffered.getContentAsByteArray(), UTF_8) + "]").getBytes(UTF_8);
                response.setContentLength(wrapped.length);
                response.getOutputStream().write(wrapped);
            };
        }

        @Bean
        ErrorAttributes withoutTime() {
            return new DefaultErrorAttributes() {
                @Override
                public Map<String, @Nullable Object> getErrorAttributes(
                        WebRequest request, ErrorAttributeOptions options) {
                    Map<String, @Nullable Object> attributes = super.getErrorAttributes(request, options);
                    attributes.remove("timestamp");
                    return attributes;
                }
            };
        }

        @Bean
        Filter etags() {
            return new ShallowEtagHeaderFilter();
        }

        @Bean
        SecurityFilterChain headersOfSecurity(HttpSecurity http) {
            return http.csrf(AbstractHttpConfigurer::disable).build();
        }
    }

    @Controller
    static class Handlers {

        @RequestMapping("/plain/{kind}")
        @Nullable Object plain(@PathVariable String kind, HttpServletRequest request, HttpServletResponse response)
                throws Exception {
            return Objects.requireNonNull(KINDS.get(kind)).respond(request, response);
        }

        @RequestMapping("/guarded/{kind}")
        @IdempotentIncrement(scope = "neighbours")
        @Nullable Object guarded(@PathVariable String kind, HttpServletRequest request, HttpServletResponse response)
                throws Exception {
            return plain(kind, request, response);
        }
    }
}
