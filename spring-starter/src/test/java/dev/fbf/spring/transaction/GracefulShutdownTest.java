package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.PostgresExtension;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** A web server that shuts down: the requests that it has accepted are applied and answered. */
@ExtendWith(PostgresExtension.class)
@Timeout(40)
class GracefulShutdownTest {

    @Tag("slow")
    @Test
    void whatItHasAcceptedIsAppliedEvenIfItsOperationBeginsLater(DataSource dataSource, @TempDir Path directory)
            throws Exception {
        CountedTable counted = CountedTable.makeIn(dataSource);
        HttpApp app = HttpApp.start(
                dataSource,
                directory,
                Beans.class,
                "server.shutdown=graceful",
                "spring.lifecycle.timeout-per-shutdown-phase=20s");
        Pages pages = app.bean(Pages.class);
        Counter counter = app.bean(Counter.class);
        CompletableFuture<HttpResponse<String>> begun = app.send("/begun", "Idempotency-Key", "begun");
        CompletableFuture<HttpResponse<String>> late = app.send("/late", "Idempotency-Key", "late");
        pages.awaitBoth();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(app::close);
        postUntilRefused(app);
        assertThat(begun).isNotDone();
        assertThat(late).isNotDone();
        pages.mayEnd();

        assertThat(begun.get(10, TimeUnit.SECONDS).body()).isEqualTo("begun");
        assertThat(late.get(10, TimeUnit.SECONDS).body()).isEqualTo("counted");
        closed.get(10, TimeUnit.SECONDS);
        assertThat(counted.value()).isEqualTo(1);
        assertUnavailable(() -> counter.count("after")).withMessageContaining("the application is stopping");
    }

    /** The first ones may be in time. */
    private static void postUntilRefused(HttpApp app) throws InterruptedException {
        try {
            for (int i = 0; app.post("/quick", "Idempotency-Key", "quick-" + i).statusCode() == 200; i++) {
                Thread.onSpinWait();
            }
        } catch (IOException closed) {
            // the port
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Pages.class, Counter.class})
    static class Beans {}

    @RestController
    static class Pages {

        private final Counter counter;
        private final CountDownLatch reached = new CountDownLatch(2);
        private final CountDownLatch mayEnd = new CountDownLatch(1);

        Pages(Counter counter) {
            this.counter = counter;
        }

        @PostMapping("/begun")
        @IdempotentIncrement(scope = "begun")
        String begun() throws InterruptedException {
            awaitEnd();
            return "begun";
        }

        @PostMapping("/late")
        String late(@RequestHeader("Idempotency-Key") String key) throws InterruptedException {
            awaitEnd();
            return counter.count(key);
        }

        @PostMapping("/quick")
        @IdempotentIncrement(scope = "quick")
        String quick() {
            return "quick";
        }

        private void awaitEnd() throws InterruptedException {
            reached.countDown();
            assertThat(mayEnd.await(20, TimeUnit.SECONDS)).isTrue();
        }

        void awaitBoth() throws InterruptedException {
            reached.await();
        }

        void mayEnd() {
            mayEnd.countDown();
        }
    }
}
