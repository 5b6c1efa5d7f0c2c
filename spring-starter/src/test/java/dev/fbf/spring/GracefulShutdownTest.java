package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web server that shuts down: the requests that it has are answered, and the others told to come back. */
@ExtendWith(PostgresExtension.class)
@Timeout(40)
class GracefulShutdownTest {

    @Test
    void aSlowRequestEndsAndANewOneIsToldToComeBack(DataSource dataSource, @TempDir Path directory) throws Exception {
        HttpApp app = HttpApp.start(
                dataSource,
                directory,
                Pages.class,
                "server.shutdown=graceful",
                "spring.lifecycle.timeout-per-shutdown-phase=20s");
        Pages pages = app.bean(Pages.class);
        CompletableFuture<HttpResponse<String>> slow = app.send("/slow", "Idempotency-Key", "slow");
        pages.awaitSlow();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(app::close);
        HttpResponse<String> refused = postUntilRefused(app);
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
    private static HttpResponse<String> postUntilRefused(HttpApp app) throws IOException, InterruptedException {
        for (int i = 0; ; i++) {
            HttpResponse<String> answer = app.post("/quick", "Idempotency-Key", "quick-" + i);
            if (answer.statusCode() != 200) {
                return answer;
            }
        }
    }

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
