package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Scanner;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** A request whose body somebody has read and closed before its guarded method is called. */
@GuardedApp(beans = ClosedBodiesTest.Webhooks.class, properties = FingerprintTest.WITHOUT_RESPONSES)
class ClosedBodiesTest extends HttpAppTest {

    private static final String JSON = "{\"pieces\":1}\n";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/service/stream", "/service/reader", "/service/scanner", "/service/parser",
                "/key/stream", "/key/reader", "/key/scanner", "/key/parser"
            })
    void isAppliedOnceAndComparedIfItsHandlerHasClosedTheBody(String path) throws Exception {
        assertThat(deliver(path, JSON)).isEqualTo("200");
        assertThat(deliver(path, JSON)).endsWith("replayed");
        assertThat(deliver(path, "{\"pieces\":2}\n")).isEqualTo("422");
        assertThat(counted.value()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "/unread, behind, 422",
        "/unread, front, 204 replayed",
        "/tolerant, front, 204 replayed",
        "/service/stream, behind, 422"
    })
    void isAppliedOnceIfAFilterHasClosedTheBody(String path, String filter, String another) throws Exception {
        assertThat(deliver(path, JSON, "X-Closed", filter)).isEqualTo("200");
        assertThat(deliver(path, JSON, "X-Closed", filter)).isEqualTo("204 replayed");
        assertThat(deliver(path, "{\"pieces\":2}\n", "X-Closed", filter)).isEqualTo(another);
        assertThat(counted.value()).isEqualTo(1);
    }

    private String deliver(String path, String body, String... headers) throws Exception {
        return status(app.send("POST", path, key, "application/json", body.getBytes(UTF_8), headers));
    }

    static class Counter {

        private final JdbcClient jdbc;

        Counter(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "closed-service")
        String count() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            return "applied";
        }
    }

    @RestController
    @Import(Counter.class)
    static class Webhooks {

        private final Counter counter;
        private final JdbcClient jdbc;
        private final IdempotentScope scope;

        Webhooks(Counter counter, DataSource dataSource, IdempotentOperations operations) {
            this.counter = counter;
            jdbc = JdbcClient.create(dataSource);
            scope = operations.scope("closed-key");
        }

        @PostMapping("/service/{how}")
        String callService(@PathVariable String how, HttpServletRequest request) throws IOException {
            readAndClose(how, request);
            return counter.count();
        }

        @PostMapping("/key/{how}")
        String takeKey(@PathVariable String how, HttpServletRequest request, IdempotencyKey key) throws IOException {
            readAndClose(how, request);
            scope.execute(
                    key, () -> jdbc.sql("UPDATE counted SET value = value + 1").update());
            return "applied";
        }

        @PostMapping("/unread")
        String leaveBody() {
            return counter.count();
        }

        @PostMapping("/tolerant")
        String readWhatIsThere(InputStream body) {
            try {
                body.readAllBytes();
            } catch (IOException e) {
                // the filter has closed the stream
            }
            return counter.count();
        }

        @Bean
        static FilterRegistrationBean<Filter> closingInFront() {
            return closing("front", Ordered.HIGHEST_PRECEDENCE);
        }

        @Bean
        static FilterRegistrationBean<Filter> closingBehind() {
            return closing("behind", 0);
        }

        private static FilterRegistrationBean<Filter> closing(String where, int order) {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
                if (where.equals(((HttpServletRequest) request).getHeader("X-Closed"))) {
                    readAndClose("stream", request);
                }
                chain.doFilter(request, response);
            });
            registration.setOrder(order);
            return registration;
        }

        private static void readAndClose(String how, ServletRequest request) throws IOException {
            switch (how) {
                case "stream" -> {
                    try (InputStream body = request.getInputStream()) {
                        body.readAllBytes();
                    }
                }
                case "reader" -> {
                    try (BufferedReader body = request.getReader()) {
                        body.readLine();
                    }
                }
                case "scanner" -> {
                    try (Scanner body = new Scanner(request.getInputStream(), UTF_8)) {
                        body.nextLine();
                    }
                }
                default -> JsonMapper.builder().build().readValue(request.getInputStream(), Map.class);
            }
        }
    }
}
