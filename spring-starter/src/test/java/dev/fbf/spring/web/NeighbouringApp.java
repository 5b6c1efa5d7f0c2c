package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fbf.spring.IdempotentIncrement;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.error.ErrorAttributeOptions;
import org.springframework.boot.webmvc.error.DefaultErrorAttributes;
import org.springframework.boot.webmvc.error.ErrorAttributes;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Filters without an order that sign, compress, wrap and log; handlers that catch all; and responses of every kind. */
@Configuration(proxyBeanMethods = false)
@Import({NeighbouringApp.Handlers.class, NeighbouringApp.CatchAll.class})
class NeighbouringApp {

    @FunctionalInterface
    interface Kind {
        @Nullable Object respond(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    /** By their names; those of {@link #STREAMED} go on after their handler has returned, so that none of them can be guarded. */
    static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    /** The guarded handler has begun with the kind {@code held}. */
    static final Semaphore ENTERED = new Semaphore(0);

    static final Semaphore HELD = new Semaphore(0);

    static final Map<String, Kind> STREAMED = Map.of(
            "sse",
                    (request, response) -> {
                        SseEmitter emitter = new SseEmitter();
                        emitter.send("one");
                        emitter.send("two");
                        emitter.complete();
                        return emitter;
                    },
            "stream", (request, response) -> (StreamingResponseBody) out -> out.write("streamed".getBytes(UTF_8)));

    private static final String LONG = "0123456789".repeat(2_000);

    static {
        KINDS.put(
                "refusal",
                (request, response) -> ResponseEntity.unprocessableContent()
                        .body(ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, "no")));
        KINDS.put("thrown", (request, response) -> {
            throw new IllegalStateException("thrown");
        });
        KINDS.put("thrown-status", (request, response) -> {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "thrown");
        });
        KINDS.put("cookie", (request, response) -> {
            response.addCookie(new Cookie("a", "b"));
            response.setHeader("X-Total", "7");
            return ResponseEntity.ok("cookie");
        });
        KINDS.put("redirect-view", (request, response) -> "redirect:/orders/1");
        KINDS.put("forward", (request, response) -> "forward:/plain/text");
        KINDS.put("view", (request, response) -> (View) (model, viewRequest, viewResponse) -> {
            viewResponse.setContentType("text/html;charset=UTF-8");
            viewResponse.getWriter().append("<p>").append('ü').printf("%d%n", 5);
        });
        KINDS.put("view-printing", (request, response) -> (View) (model, viewRequest, viewResponse) ->
                viewResponse.getOutputStream().print("ü"));
        putEntities();
        putWriters();
        putRequests();
    }

    private static void putEntities() {
        entity("text", ResponseEntity.ok("Grüße 数"));
        entity("json", ResponseEntity.ok(Map.of("a", "ü")));
        entity("created", ResponseEntity.created(URI.create("/orders/1")).body("created"));
        entity(
                "accepted",
                ResponseEntity.accepted().header(HttpHeaders.RETRY_AFTER, "3").build());
        entity("no-content", ResponseEntity.noContent().build());
        entity("empty", ResponseEntity.ok().build());
        entity(
                "download",
                ResponseEntity.ok()
                        .eTag("\"v1\"")
                        .lastModified(1_000_000_000_000L)
                        .cacheControl(CacheControl.maxAge(Duration.ofHours(1)).cachePublic())
                        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"a.bin\"")
                        .header(HttpHeaders.CONTENT_LANGUAGE, "de")
                        .contentType(MediaType.APPLICATION_OCTET_STREAM)
                        .body(new byte[] {0, 1, -1, 10, 13}));
        entity(
                "range",
                ResponseEntity.ok()
                        .contentType(MediaType.TEXT_PLAIN)
                        .body(new ByteArrayResource("0123456789".getBytes(UTF_8))));
        entity(
                "gzip",
                ResponseEntity.ok()
                        .header(HttpHeaders.CONTENT_ENCODING, "gzip")
                        .contentType(MediaType.APPLICATION_JSON)
                        .body(gzip("{\"packed\":true}".getBytes(UTF_8))));
        entity(
                "links",
                ResponseEntity.ok()
                        .header(HttpHeaders.LINK, "</a>; rel=\"next\"", "</b>; rel=\"last\"")
                        .header(HttpHeaders.VARY, "Accept", "Accept-Language")
                        .body("links"));
        entity(
                "see-other",
                ResponseEntity.status(HttpStatus.SEE_OTHER)
                        .location(URI.create("/orders/1"))
                        .build());
        entity(
                "temporary",
                ResponseEntity.status(HttpStatus.TEMPORARY_REDIRECT)
                        .location(URI.create("/orders/1"))
                        .build());
        entity("failed", ResponseEntity.internalServerError().body("failed"));
        entity("long", ResponseEntity.ok(LONG));
    }

    private static void putWriters() {
        writer("send-redirect", response -> response.sendRedirect("/orders/1"));
        writer("send-redirect-303", response -> response.sendRedirect("orders", HttpStatus.SEE_OTHER.value()));
        writer("send-error", response -> response.sendError(418, "teapot"));
        writer("html", response -> {
            response.setContentType("text/html");
            response.getWriter().print("<p>ü");
        });
        writer("html-later", response -> {
            PrintWriter writer = response.getWriter();
            response.setContentType("text/html;charset=UTF-8");
            writer.println("<p>");
            writer.println(4.5);
        });
        writer("utf-16", response -> {
            response.setCharacterEncoding(UTF_16BE);
            response.setContentType("text/plain");
            response.getWriter().write("Grüße 😀");
        });
        writer("untyped", response -> response.getWriter().print("untyped"));
        writer("localized", response -> {
            response.setLocale(Locale.GERMANY);
            response.setContentType("text/plain");
            response.getWriter().print("örtlich");
        });
        writer("stream-of-bytes", response -> {
            ServletOutputStream out = response.getOutputStream();
            out.write('a');
            out.print("bc");
            out.println(1);
            out.write(ByteBuffer.wrap(new byte[] {1, 2}));
        });
        writer("printed-umlaut", response -> {
            response.setContentType("text/plain;charset=UTF-8");
            response.getOutputStream().print("ü");
        });
        writer("measured", response -> {
            response.setContentLength(3);
            response.getOutputStream().write("abc".getBytes(UTF_8));
        });
        writer("flushed", response -> {
            response.setContentType("text/plain");
            response.getOutputStream().write("one".getBytes(UTF_8));
            response.flushBuffer();
            response.setHeader(HttpHeaders.ETAG, "\"too late\"");
            response.getOutputStream().write("two".getBytes(UTF_8));
        });
        writer("closed", response -> {
            response.setContentType("text/plain");
            PrintWriter writer = response.getWriter();
            writer.print("all");
            writer.close();
            writer.print("more");
        });
        writer("reset", response -> {
            response.setHeader(HttpHeaders.ETAG, "\"gone\"");
            response.getWriter().print("gone");
            response.reset();
            response.getOutputStream().write("kept".getBytes(UTF_8));
        });
        writer("reset-buffer", response -> {
            response.setHeader(HttpHeaders.ETAG, "\"kept\"");
            response.getWriter().print("gone");
            response.resetBuffer();
            response.getWriter().print("kept");
        });
        writer("long-written", response -> {
            response.setContentType("text/plain");
            response.getWriter().print(LONG);
        });
    }

    private static void putRequests() {
        reader("form-stream", request -> new String(request.getInputStream().readAllBytes(), UTF_8));
        reader("form-reader", request -> request.getReader().readLine());
        reader(
                "form-parameters",
                request -> request.getParameter("a")
                        + Arrays.toString(request.getParameterValues("b"))
                        + request.getParameterMap().keySet()
                        + request.getParameter("c"));
        reader(
                "form-parameters-first",
                request -> request.getParameter("a") + request.getInputStream().readAllBytes().length);
        reader(
                "multipart",
                request -> new String(request.getPart("a").getInputStream().readAllBytes(), UTF_8));
        reader("body", request -> new String(request.getInputStream().readAllBytes(), UTF_8));
    }

    private static void entity(String name, ResponseEntity<?> entity) {
        KINDS.put(name, (request, response) -> entity);
    }

    private interface Writer {
        void write(HttpServletResponse response) throws Exception;
    }

    private static void writer(String name, Writer writer) {
        KINDS.put(name, (request, response) -> {
            writer.write(response);
            return null;
        });
    }

    private interface Reader {
        String read(HttpServletRequest request) throws Exception;
    }

    private static void reader(String name, Reader reader) {
        KINDS.put(name, (request, response) -> ResponseEntity.ok(reader.read(request)));
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    @Bean
    Filter signing() {
        return new Transforming("X-Sign", "X-Signature") {
            @Override
            byte[] transform(byte[] body, HttpServletResponse response) {
                CRC32 sum = new CRC32();
                sum.update(body);
                response.setHeader("X-Signature", Long.toHexString(sum.getValue()));
                return body;
            }
        };
    }

    @Bean
    Filter compressing() {
        return new Transforming("X-Compress", "X-Compressed") {
            @Override
            byte[] transform(byte[] body, HttpServletResponse response) {
                response.addHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
                return gzip(body);
            }
        };
    }

    @Bean
    Filter wrapping() {
        return new Transforming("X-Wrap", "X-Wrapped") {
            @Override
            byte[] transform(byte[] body, HttpServletResponse response) {
                return ("[" + new String(body, UTF_8) + "]").getBytes(UTF_8);
            }
        };
    }

    @Bean
    ErrorAttributes withoutTime() {
        return new DefaultErrorAttributes() {
            @Override
            public Map<String, @Nullable Object> getErrorAttributes(WebRequest request, ErrorAttributeOptions options) {
                Map<String, @Nullable Object> attributes = super.getErrorAttributes(request, options);
                attributes.remove("timestamp");
                return attributes;
            }
        };
    }

    /** Buffers a response, and sends another body in its place, where a header of the request asks for it. */
    abstract static class Transforming extends OncePerRequestFilter {

        private final String asked;
        private final String done;

        Transforming(String asked, String done) {
            this.asked = asked;
            this.done = done;
        }

        abstract byte[] transform(byte[] body, HttpServletResponse response);

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            if (request.getHeader(asked) == null) {
                chain.doFilter(request, response);
                return;
            }
            Buffered buffered = new Buffered(response);
            chain.doFilter(request, buffered);
            byte[] body = buffered.body();
            response.setHeader(done, "true");
            if (body.length > 0) {
                byte[] transformed = transform(body, response);
                response.setContentLength(transformed.length);
                response.getOutputStream().write(transformed);
            }
        }
    }

    private static final class Buffered extends HttpServletResponseWrapper {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private @Nullable PrintWriter writer;

        Buffered(HttpServletResponse response) {
            super(response);
        }

        byte[] body() {
            flushBuffer();
            return bytes.toByteArray();
        }

        @Override
        public ServletOutputStream getOutputStream() {
            return new ServletOutputStream() {
                @Override
                public void write(int value) {
                    bytes.write(value);
                }

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {}
            };
        }

        @Override
        public PrintWriter getWriter() {
            if (writer == null) {
                writer = new PrintWriter(new OutputStreamWriter(bytes, Charset.forName(getCharacterEncoding())));
            }
            return writer;
        }

        @Override
        public void flushBuffer() {
            if (writer != null) {
                writer.flush();
            }
        }

        @Override
        public void setContentLength(int length) {}

        @Override
        public void setContentLengthLong(long length) {}

        @Override
        public void reset() {
            super.reset();
            resetBuffer();
            writer = null;
        }

        @Override
        public void resetBuffer() {
            flushBuffer();
            bytes.reset();
        }
    }

    @Controller
    static class Handlers {

        @RequestMapping("/plain/{kind}")
        @Nullable Object plain(@PathVariable String kind, HttpServletRequest request, HttpServletResponse response)
                throws Exception {
            return Objects.requireNonNull(STREAMED.getOrDefault(kind, KINDS.get(kind)))
                    .respond(request, response);
        }

        @RequestMapping("/guarded/{kind}")
        @IdempotentIncrement(scope = "neighbours")
        @Nullable Object guarded(@PathVariable String kind, HttpServletRequest request, HttpServletResponse response)
                throws Exception {
            if (kind.equals("held")) {
                ENTERED.release();
                HELD.acquire();
                return ResponseEntity.ok(Map.of("held", true));
            }
            return Objects.requireNonNull(KINDS.get(kind)).respond(request, response);
        }
    }

    @ControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        ResponseEntity<Map<String, String>> any(Exception e) {
            return ResponseEntity.internalServerError().body(Map.of("detail", "An unexpected error"));
        }
    }
}
