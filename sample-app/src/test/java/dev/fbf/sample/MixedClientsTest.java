package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

/** Two nodes that share a ledger, clients of three makers, and answers that do not arrive. */
@Tag("slow")
@SampleAppTest
@TestPropertySource(properties = "fbf.mode=ledger")
class MixedClientsTest {

    private static final int THREADS_EACH = 4;

    @TempDir
    Path data;

    private final URI a;
    private final JdbcConnectionDetails database;

    MixedClientsTest(@LocalServerPort int port, @Autowired JdbcConnectionDetails database) {
        this.a = URI.create("http://localhost:" + port + "/");
        this.database = database;
    }

    @AfterEach
    void switchOff() {
        clientOf(a).delete().uri("/faults").exchange().expectStatus().isOk();
    }

    @Test
    void eachOperationCountsOnceWhoeverSendsItAndWhereverItsRetryArrives() throws Exception {
        try (ConfigurableApplicationContext second = startNode()) {
            URI b = URI.create(
                    "http://localhost:" + second.getEnvironment().getRequiredProperty("local.server.port") + "/");
            loseResponses(a);
            loseResponses(b);
            AnyNode nodes = new AnyNode(a, b);

            List<Callable<Void>> work = new ArrayList<>();
            work.addAll(operations(100, "ours", new FbfClient(nodes)));
            work.addAll(operations(100, "bare-token", new BareTokenClient(nodes)));
            work.addAll(operations(20, "curl", new CurlClient(nodes)));
            atOnce(work);

            assertViews("ours", 100);
            assertViews("bare-token", 100);
            assertViews("curl", 20);
            assertLostResponses(a);
            assertLostResponses(b);
        }
    }

    /** With a directory of its own, on the database of the first. */
    private ConfigurableApplicationContext startNode() {
        return new SpringApplicationBuilder(SampleApplication.class)
                .run(
                        "--server.port=0",
                        "--fbf.mode=ledger",
                        "--sample.data-directory=" + data,
                        "--spring.datasource.url=" + database.getJdbcUrl(),
                        "--spring.datasource.username=" + database.getUsername(),
                        "--spring.datasource.password=" + database.getPassword());
    }

    private static void loseResponses(URI node) {
        clientOf(node)
                .put()
                .uri("/faults")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"lostResponses\": 0.1, \"seconds\": 600}")
                .exchange()
                .expectStatus()
                .isOk();
    }

    private void assertViews(String page, int views) {
        clientOf(a)
                .get()
                .uri("/pages/{page}", page)
                .exchange()
                .expectBody()
                .jsonPath("$.views")
                .isEqualTo(views);
    }

    private static void assertLostResponses(URI node) {
        clientOf(node)
                .get()
                .uri("/faults")
                .exchange()
                .expectBody()
                .jsonPath("$.lostSoFar")
                .value(Integer.class, lost -> assertThat(lost).isPositive());
    }

    private static RestTestClient clientOf(URI node) {
        return RestTestClient.bindToServer().baseUrl(node.toString()).build();
    }

    private static List<Callable<Void>> operations(int count, String page, PageClient client) {
        Callable<Void> operation = () -> {
            client.view(page);
            return null;
        };
        return Collections.nCopies(count, operation);
    }

    private static void atOnce(List<Callable<Void>> work) throws Exception {
        List<Callable<Void>> mixed = new ArrayList<>(work);
        Collections.shuffle(mixed);
        ExecutorService threads = Executors.newFixedThreadPool(3 * THREADS_EACH);
        try {
            for (Future<Void> done : threads.invokeAll(mixed)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
