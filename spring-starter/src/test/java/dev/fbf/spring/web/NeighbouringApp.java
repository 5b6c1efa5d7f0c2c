package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fbf.spring.IdempotentIncrement;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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
import org.springframework.core.MethodParameter;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Filters without an order that sign, compress, wrap and log; handlers that catch all; and responses of every kind. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
@Import({NeighbouringApp.Handlers.class, NeighbouringApp.CatchAll.class, NeighbouringApp.Enveloping.class})
class NeighbouringApp {

    @FunctionalInterface
    interface Kind {
        @Nullable Object respond(HttpServletRequest request, HttpServletResponse response) throws Exception;
    }

    static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    /** The guarded handler has begun with the kind {@code held}. */
    static final Semaphore ENTERED = new Semaphore(0);

    static final Semaphore HELD = new Semaphore(0);

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
        KINDS.put("http-entity", (request, response) -> new HttpEntity<>(Map.of("a", 1)));
        KINDS.put("problem", (request, response) -> ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "no"));
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
        KINDS.put("wrappers-of-the-response", (request, response) -> {
            List<String> wrappers = new ArrayList<>();
            ServletResponse inner = response;
            for (; inner instanceof ServletResponseWrapper wrapper; inner = wrapper.getResponse()) {
                wrappers.add(wrapper.getClass().getName());
            }
            return ResponseEntity.ok(wrappers + " " + inner.getClass().getName());
        });
        putEntities();
        putRequests();
    }

    private static void putEntities() {
        entity("text", ResponseEntity.ok("Grüße 数"));
        entity("json", ResponseEntity.ok(Map.of("a", "ü")));
        entity("fetched", ResponseEntity.ok(Map.of("a", "ü")));
        entity(
                "no-etag",
                ResponseEntity.ok().cacheControl(CacheControl.noStore()).body("secret"));
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
    Filter etags() {
        return new ShallowEtagHeaderFilter();
    }

    @Bean
    SecurityFilterChain headersOfSecurity(HttpSecurity http) {
        return http.csrf(AbstractHttpConfigurer::disable).build();
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
            ContentCachingResponseWrapper buffered = new ContentCachingResponseWrapper(response);
            chain.doFilter(request, buffered);
            byte[] body = buffered.getContentAsByteArray();
            response.setHeader(done, "true");
            if (body.length > 0) {
                byte[] transformed = transform(body, response);
                response.setContentLength(transformed.length);
                response.getOutputStream().write(transformed);
            }
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

    /** Advice that wraps bodies, where a header of the request asks for it. */
    @ControllerAdvice
    static class Enveloping implements ResponseBodyAdvice<Object> {

        @Override
        public boolean supports(MethodParameter type, Class<? extends HttpMessageConverter<?>> converter) {
            return JacksonJsonHttpMessageConverter.class.isAssignableFrom(converter);
        }

        @Override
        public @Nullable Object beforeBodyWrite(
                @Nullable Object body,
                MethodParameter type,
                MediaType media,
                Class<? extends HttpMessageConverter<?>> converter,
                ServerHttpRequest request,
                ServerHttpResponse response) {
            if (request.getHeaders().getFirst("X-Envelope") == null || !(body instanceof Map)) {
                return body;
            }
            response.getHeaders().set(HttpHeaders.CONTENT_LANGUAGE, "en");
            return Map.of("data", body);
        }
    }
}
