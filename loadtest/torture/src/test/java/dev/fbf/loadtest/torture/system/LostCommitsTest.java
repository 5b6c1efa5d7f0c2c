package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SynchronousPair;
import dev.fbf.loadtest.harness.process.Directories;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.harness.process.Waiting;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PostgreSQL forgets commits that were acknowledged: a standby takes over that lagged behind, or a backup is restored. */
@Timeout(180)
class LostCommitsTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Path HOME = Path.of("..", "target", "postgres");
    private static final String PATH = Replicas.PATH;
    private static final List<String> LOST = List.of("lost-0", "lost-1", "lost-2");

    /** The pool hands out connections of a server that has been restarted, which it does for half a second by default. */
    private static final List<String> WITH_DEAD_CONNECTIONS =
            List.of("env", "JDK_JAVA_OPTIONS=-Dcom.zaxxer.hikari.aliveBypassWindowMs=600000");

    @TempDir
    Path directory;

    @Tag("slow")
    @Test
    void aStandbyThatLaggedIsNoticedAndRetriesWaitForAnOperator() throws Exception {
        try (SynchronousPair pair = pairThatLags();
                Replica app = launch("app", pair.url(), "filter")) {
            applyAndLose(pair, app);

            awaitNotice(app, "a lagging standby", LOST.size());

            assertThat(post(app, "kept")).isEqualTo(503);
            assertThat(post(app, LOST.get(0))).isEqualTo(503);
            assertThat(post(app, "new")).isEqualTo(200);
            assertThat(views(pair.standby())).isEqualTo(2);
            assertThat(app.log()).contains("has forgotten commits: in 3 of 4096 slots");
            assertThat(get(app, "/actuator/metrics/fbf.lost.commits.slots")).contains("\"value\":3.0");
            assertThat(get(app, "/actuator/health/readiness")).contains("\"status\":\"UP\"");
            assertThat(get(app, "/actuator/health")).contains("\"lostCommits\":{\"dataSource\":{\"slots\":3,");

            assertThat(accept(app)).isEqualTo(200);

            assertThat(post(app, "kept")).isEqualTo(200);
            assertThat(post(app, LOST.get(0))).isEqualTo(200);
            assertThat(views(pair.standby())).isEqualTo(2);
            assertThat(get(app, "/actuator/health")).doesNotContain("lostCommits");
        }
    }

    @Tag("nightly")
    @Test
    void inLedgerModeWhatTheDatabaseHasForgottenIsNewWhenItIsRetried() throws Exception {
        try (SynchronousPair pair = pairThatLags();
                Replica app = launch("app", pair.url(), "ledger")) {
            applyAndLose(pair, app);

            assertThat(Waiting.until(() -> post(app, "kept") == 200, LONG)).isTrue();

            assertThat(views(pair.standby())).isEqualTo(1);
            for (String key : LOST) {
                assertThat(post(app, key)).isEqualTo(200);
            }
            assertThat(views(pair.standby())).isEqualTo(4);
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBackupThatIsRestoredIsNoticed(boolean whileTheApplicationRuns) throws Exception {
        Path data = directory.resolve("server").resolve("data");
        Path backup = directory.resolve("backup");
        try (PostgresServer server = PostgresServer.startNew(HOME, directory.resolve("server"))) {
            new Database(server).create(1);
            Set<String> rows;
            try (Replica app = launchedBy(WITH_DEAD_CONNECTIONS, "app", server.url(), "filter")) {
                assertThat(post(app, "kept")).isEqualTo(200);
                server.kill(); // its connections end without a message: what is sent on one of them is in doubt
                Directories.copy(data, backup);
                server.start();
                for (String key : LOST) {
                    assertThat(Waiting.until(() -> post(app, key) == 200, LONG)).isTrue();
                }
                if (!whileTheApplicationRuns) {
                    app.stop();
                }
                rows = witness(server);
                server.stopImmediately();
                Directories.delete(data);
                Directories.copy(backup, data);
                server.start();
                rows.removeAll(witness(server));
                // at least: an attempt on a dead connection is in doubt, and what settled it is lost as well
                assertThat(rows).hasSizeGreaterThanOrEqualTo(LOST.size());
                if (whileTheApplicationRuns) {
                    awaitNotice(app, "a restored backup", rows.size());
                    assertThat(post(app, LOST.get(0))).isEqualTo(503);
                    return;
                }
            }
            try (Replica next = launch("next", server.url(), "filter")) {
                assertThat(get(next, "/actuator/fbf")).contains(slots(rows.size()));
                assertThat(post(next, LOST.get(0))).isEqualTo(503);
                assertThat(post(next, "new")).isEqualTo(200);
            }
            try (Replica last = launch("last", server.url(), "filter")) {
                assertThat(post(last, LOST.get(0))).isEqualTo(503);
            }
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
        pair.primary().kill();
        pair.standby().promote();
    }

    /** The slots with their tokens, as the database has them. */
    private static Set<String> witness(PostgresServer server) throws SQLException {
        return new HashSet<>(
                server.query("SELECT slot, token FROM fbf_witness", row -> row.getInt(1) + ":" + row.getLong(2)));
    }

    private static String slots(int lost) {
        return "\"slots\":" + lost + ",";
    }

    private static void awaitNotice(Replica app, String what, int lost) throws Exception {
        long begin = System.nanoTime();
        assertThat(Waiting.until(() -> get(app, "/actuator/fbf").contains(slots(lost)), LONG))
                .isTrue();
        System.out.printf("Noticed %s after %d ms, in %d slots%n", what, (System.nanoTime() - begin) / 1_000_000, lost);
    }

    private Replica launch(String name, String url, String mode) throws Exception {
        return launchedBy(List.of(), name, url, mode);
    }

    private Replica launchedBy(List<String> launcher, String name, String url, String mode) throws Exception {
        return Replica.launchedBy(
                        launcher,
                        FixedPorts.free(),
                        directory.resolve(name + ".log"),
                        url,
                        directory.resolve("fbf"),
                        "fbf.mode=" + mode,
                        "management.endpoints.web.exposure.include=health,fbf,metrics",
                        "management.endpoint.fbf.access=unrestricted",
                        "management.endpoint.health.show-details=always",
                        "spring.datasource.hikari.connection-timeout=1000")
                .awaitReady();
    }

    private static int post(Replica app, String key) throws InterruptedException {
        return Replica.post(app.port(), PATH, key);
    }

    private static String get(Replica app, String path) throws InterruptedException {
        return Http.exchange(Http.get(app.port(), path), LONG)
                .map(HttpResponse::body)
                .orElse("");
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
