package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Pools;
import dev.fbf.spring.PostgresExtension;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A caller that holds all that it can, with slow requests of one scope, and another user in another scope. */
@ExtendWith(PostgresExtension.class)
@Timeout(120)
@Tag("slow")
class BusyScopeTest {

    private static final int CONNECTIONS = 5;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void leavesRoomForAnotherScopeOnPlatformThreads(Mode mode, DataSource dataSource) throws Exception {
        leavesRoomForAnotherScope(dataSource, 60, "fbf.mode=" + mode);
    }

    /** As many requests as there are claims, and more. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void leavesRoomForAnotherScopeOnVirtualThreads(DataSource dataSource) throws Exception {
        leavesRoomForAnotherScope(dataSource, 1_100, "fbf.mode=filter", "spring.threads.virtual.enabled=true");
    }

    private void leavesRoomForAnotherScope(DataSource dataSource, int slowRequests, String... properties)
            throws Exception {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of(ConstantsOfTheTest.REGISTERED, "test.renewal=1s"));
        try (HikariDataSource pool = Pools.of(dataSource, CONNECTIONS);
                HttpApp app = HttpApp.start(
                        pool, directory, List.of(Requests.class, Slow.class), all.toArray(String[]::new))) {
            Slow requests = app.bean(Slow.class);
            List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
            for (int i = 0; i < slowRequests; i++) {
                slow.add(app.send("/slow", "Idempotency-Key", UUID.randomUUID().toString()));
            }
            try {
                // without the share of a scope, all of them
                await().until(() -> requests.arrived.get() >= CONNECTIONS - 2);
                for (int i = 0; i < 100; i++) {
                    HttpResponse<String> response = app.post(
                            "/quick", "Idempotency-Key", UUID.randomUUID().toString());
                    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
                }
                assertThat(app.bean(NodeStatus.class).obstacles()).isEmpty();
                assertThat(requests.arrived).hasValue(CONNECTIONS - 2);
            } finally {
                requests.end.countDown();
            }
            assertThat(slow)
                    .allSatisfy(
                            response -> assertThat(response.join().statusCode()).isEqualTo(200));
        }
    }

    static class Slow {

        private final AtomicInteger arrived = new AtomicInteger();
        private final CountDownLatch end = new CountDownLatch(1);
    }

    @RestController
    static class Requests {

        private final Slow slow;
        private final JdbcClient jdbc;

        Requests(Slow slow, DataSource dataSource) {
            this.slow = slow;
            jdbc = JdbcClient.create(dataSource);
        }

        @PostMapping("/slow")
        @IdempotentIncrement(scope = "slow-requests")
        long slow() throws InterruptedException {
            slow.arrived.incrementAndGet();
            slow.end.await();
            return jdbc.sql("SELECT 1").query(Long.class).single();
        }

        @PostMapping("/quick")
        @IdempotentIncrement(scope = "quick-requests")
        long quick() {
            return jdbc.sql("SELECT 1").query(Long.class).single();
        }
    }
}
