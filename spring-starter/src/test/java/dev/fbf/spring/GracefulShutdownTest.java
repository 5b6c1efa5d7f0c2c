package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web server that shuts down: the requests that it has are answered, and the others told to come back. */
@ExtendWith(PostgresExtension.class)
@Timeout(40)
class GracefulShutdownTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Test
    void aSlowRequestEndsAndANewOneIsToldToComeBack(DataSource dataSource, @TempDir Path directory) throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "server.shutdown=graceful",
                        "spring.lifecycle.timeout-per-shutdown-phase=20s",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "fbf.directory=" + directory)
                .initializers(applicationContext -> ((GenericApplicationContext) applicationContext)
                        .registerBean(DataSource.class, () -> dataSource))
                .run();
        Pages pages = context.getBean(Pages.class);
        URI server = URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port"));
        CompletableFuture<HttpResponse<String>> slow =
                CLIENT.sendAsync(post(server.resolve("/slow"), "slow"), HttpResponse.BodyHandlers.ofString());
        pages.awaitSlow();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
        HttpResponse<String> refused = postUntilRefused(server.resolve("/quick"));
        assertThat(slow).isNotDone();
        pages.endSlow();

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(refused.body()).contains("the application is stopping");
        assertThat(slow.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(slow.get().body()).isEqualTo("slow");
        closed.get(10, TimeUnit.SECONDS);
    }

    /** The first ones may be in time. */
    private static HttpResponse<String> postUntilRefused(URI uri) throws IOException, InterruptedException {
        for (int i = 0; ; i++) {
            HttpResponse<String> answer = CLIENT.send(post(uri, "quick-" + i), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                return answer;
            }
        }
    }

    private static HttpRequest post(URI uri, String key) {
        return HttpRequest.newBuilder(uri)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Pages.class)
    static class Application {}

    @RestController
    static class Pages {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        @PostMapping("/slow")
        @IdempotentIncrement(scope = "slow")
        String slow() throws InterruptedException {
            reached.countDown();
            assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
            return "slow";
        }

        @PostMapping("/quick")
        @IdempotentIncrement(scope = "quick")
        String quick() {
            return "quick";
        }

        void awaitSlow() throws InterruptedException {
            reached.await();
        }

        void endSlow() {
            mayEnd.countDown();
        }
    }
}
