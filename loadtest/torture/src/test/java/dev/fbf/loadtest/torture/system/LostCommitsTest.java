package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Http;
import dev.fbf.process.Waiting;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL forgets commits that were acknowledged: a standby takes over that lagged behind. */
@Timeout(180)
class LostCommitsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Path HOME = Path.of("..", "target", "postgres");
    private static final String PATH = Replicas.PATH;
    private static final String BEAT = "SELECT max(beat) FROM fbf_lease";
    private static final List<String> LOST = List.of("lost-0", "lost-1", "lost-2");

    @TempDir
    Path directory;

    @Tag("slow")
    @Test
    void aStandbyThatLaggedIsNoticedAndRetriesWaitForAnOperator() throws Exception {
        try (SynchronousPair pair = pairThatLags();
                Replica app = launch(pair.url())) {
            applyAndLose(pair, app);

            assertThat(Waiting.until(() -> app.get("/actuator/health").contains("\"page-views\":\"20"), LONG))
                    .as("the scope has noticed, perhaps after others")
                    .isTrue();

            assertThat(post(app, "kept")).isEqualTo(503);
            assertThat(post(app, LOST.get(0))).isEqualTo(503);
            assertThat(post(app, "new")).isEqualTo(200);
            assertThat(views(pair.standby())).isEqualTo(2);
            assertThat(app.log()).contains("has forgotten commits: its rows are older");
            assertThat(app.get("/actuator/metrics/fbf.lost.commits?tag=scope:page-views"))
                    .contains("\"value\":1.0");
            assertThat(app.get("/actuator/health/readiness")).contains("\"status\":\"UP\"");

            assertThat(accept(app)).isEqualTo(200);

            assertThat(post(app, "kept")).isEqualTo(200);
            assertThat(post(app, LOST.get(0))).isEqualTo(200);
            assertThat(views(pair.standby())).isEqualTo(2);
            assertThat(app.get("/actuator/health")).doesNotContain("lostCommits");
        }
    }

    /** The primary does not wait for its standby. */
    private SynchronousPair pairThatLags() throws Exception {
        SynchronousPair pair = SynchronousPair.start(HOME, directory);
        pair.primary().execute("ALTER ROLE " + PostgresServer.USER + " SET synchronous_commit = local");
        new Database(pair.primary()).create(1);
        return pair;
    }

    /** One operation is applied that the standby has, and others that it has not; then it takes over. */
    private static void applyAndLose(SynchronousPair pair, Replica app) throws Exception {
        assertThat(post(app, "kept")).isEqualTo(200);
        assertThat(Waiting.<SQLException>until(() -> views(pair.standby()) == 1, LONG))
                .isTrue();
        pair.detachStandby();
        for (String key : LOST) {
            assertThat(post(app, key)).isEqualTo(200);
        }
        long standby = pair.standby().number(BEAT);
        assertThat(Waiting.<SQLException>until(() -> pair.primary().number(BEAT) > standby, LONG))
                .as("the next beat")
                .isTrue();
        pair.primary().kill();
        pair.promoteStandby();
    }

    private Replica launch(String url) throws Exception {
        return Replica.launch(
                        FixedPorts.free(),
                        directory.resolve("app.log"),
                        url,
                        directory.resolve("fbf"),
                        "fbf.mode=filter",
                        "management.endpoints.web.exposure.include=health,fbf,metrics",
                        "management.endpoint.fbf.access=unrestricted",
                        "management.endpoint.health.show-details=always",
                        "spring.datasource.hikari.connection-timeout=1000")
                .awaitReady();
    }

    private static int post(Replica app, String key) throws InterruptedException {
        return Replica.post(app.port(), PATH, key);
    }

    private static int accept(Replica app) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        Http.get(app.port(), "/actuator/fbf/lost-commits").uri())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"applied\": true}"))
                .build();
        return Http.status(request, LONG);
    }

    private static long views(PostgresServer server) throws SQLException {
        return server.number("SELECT views FROM torture_page WHERE name = 'page-0'");
    }
}
