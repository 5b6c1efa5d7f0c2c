package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What a client is told when the transaction that did not answer was not begun by the guarded method, but around it. */
@ExtendWith(PostgresExtension.class)
class CallersCommitTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private CountedTable counted;
    private FragileDataSource fragile;
    private ConfigurableApplicationContext context;

    @BeforeEach
    void start(DataSource dataSource) {
        counted = CountedTable.makeIn(dataSource);
        fragile = new FragileDataSource(dataSource);
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "fbf.directory=" + directory,
                        "fbf.settle-timeout=500ms")
                .initializers(applicationContext ->
                        ((GenericApplicationContext) applicationContext).registerBean(DataSource.class, () -> fragile))
                .run();
    }

    @AfterEach
    void stop() {
        context.close();
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
    void isToldWhatTheCallerThrewIfNothingWasApplied() throws Exception {
        fragile.breakNextCommit(FragileDataSource.Fate.LOST);

        assertThat(post().statusCode()).isEqualTo(500);
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

    private HttpResponse<String> post() throws IOException, InterruptedException {
        return send("/outer");
    }

    private HttpResponse<String> send(String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path);
        return CLIENT.send(
                HttpRequest.newBuilder(uri)
                        .header("Idempotency-Key", "key")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Outer outer(Inner inner) {
            return new Outer(inner);
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
