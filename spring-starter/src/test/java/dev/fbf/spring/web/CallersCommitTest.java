package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.PostgresExtension;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a client is told when the transaction that did not answer was not begun by the guarded method, but around it. */
@ExtendWith(PostgresExtension.class)
class CallersCommitTest {

    private static FragileDataSource fragile;
    private static HttpApp app;

    private final String key = UUID.randomUUID().toString();

    private CountedTable counted;

    @BeforeAll
    static void start(DataSource dataSource, @TempDir Path directory) {
        fragile = new FragileDataSource(dataSource);
        app = HttpApp.start(fragile, directory, Beans.class, "test.settle-timeout=500ms", HttpApp.SILENT_FAILURES);
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void isAskedToTryAgainIfItsOperationWasAppliedAndItsAnswerIsLost() throws Exception {
        fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
        HttpResponse<String> first = post();
        HttpResponse<String> second = post();

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body()).contains("tag:fbf.dev,2026:problem:in-doubt", "was applied");
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.body()).isEqualTo("counted before");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isAskedToTryAgainIfTheConnectionBrokeAndNothingWasApplied() throws Exception {
        fragile.breakNextCommit(FragileDataSource.Fate.LOST);
        HttpResponse<String> first = post();

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.body()).contains("tag:fbf.dev,2026:problem:unreachable", "was not applied");
        assertThat(post().body()).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isAskedToTryAgainWhileNobodyKnows() throws Exception {
        fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        HttpResponse<String> first = post();
        fragile.reconnect();

        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.body()).contains("is not known yet");
        await().until(() -> post().body().equals("counted before"));
        assertThat(counted.value()).isEqualTo(1);
    }

    @Test
    void isToldWhatTheCallerThrewWithoutAnyOperation() throws Exception {
        assertThat(send("/plain").statusCode()).isEqualTo(500);
    }

    /** No one knows which guarded method the handler would have called. */
    @Test
    void theRefusalNamesNoScopeWhereNoGuardedMethodWasReached() throws Exception {
        fragile.cutOff();
        HttpResponse<String> refused = send("/own-handler");
        fragile.reconnect();

        assertThat(refused.body())
                .contains("No guarded method was reached", "was not applied now")
                .doesNotContain("scope");
    }

    private HttpResponse<String> post() throws IOException, InterruptedException {
        return send("/outer");
    }

    private HttpResponse<String> send(String path) throws IOException, InterruptedException {
        return app.post(path, "Idempotency-Key", key);
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Outer outer(Inner inner) {
            return new Outer(inner);
        }

        @Bean
        OwnHandler ownHandler(Inner inner) {
            return new OwnHandler(inner);
        }

        @Bean
        Inner inner(DataSource dataSource) {
            return new Inner(dataSource);
        }
    }

    @RestController
    static class Outer {

        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @PostMapping("/outer")
        @Transactional
        public String outer() {
            return inner.count();
        }

        @PostMapping("/plain")
        public String plain() {
            throw new IllegalArgumentException("mine");
        }
    }

    @RestController
    static class OwnHandler {

        private final Inner inner;

        OwnHandler(Inner inner) {
            this.inner = inner;
        }

        @PostMapping("/own-handler")
        @Transactional
        public String outer() {
            return inner.count();
        }

        @ExceptionHandler
        public String onRefusal(OperationUnavailableException refusal) {
            return String.valueOf(refusal.getMessage());
        }
    }

    static class Inner {

        private final JdbcClient jdbc;

        Inner(DataSource dataSource) {
            jdbc = JdbcClient.create(dataSource);
        }

        @IdempotentIncrement(scope = "inner", onDuplicate = "before")
        public String count() {
            jdbc.sql("UPDATE counted SET value = value + 1").update();
            return "counted";
        }

        public String before() {
            return "counted before";
        }
    }
}
