package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SynchronousPair;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Http;
import dev.fbf.loadtest.harness.process.Waiting;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The URL leads to a standby by mistake: operations are refused until it has become the primary, and are then applied once. */
@Tag("nightly")
@Timeout(180)
class StandbyTest {

    private static final Path HOME = Path.of("..", "target", "postgres");
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int CLIENTS = 4;
    private static final int OPERATIONS = 200;
    private static final String PATH = Replicas.PATH;

    @TempDir
    Path directory;

    @AutoClose
    private final Clients clients = new Clients();

    @ParameterizedTest
    @ValueSource(strings = {"ledger", "filter"})
    void anApplicationThatReachesItAfterTheEndOfThePrimary(String mode) throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(HOME, directory.resolve("servers"))) {
            new Database(pair.primary()).create(1);
            String any = pair.url().replace("targetServerType=primary", "targetServerType=any");
            try (Replica app = launch(any, mode).awaitReady()) {
                clients.start(CLIENTS, client -> {
                    for (int operation = 0; operation < OPERATIONS; operation++) {
                        clients.send(app.port(), PATH, client + "-" + operation);
                    }
                });
                clients.awaitAcknowledged(CLIENTS * OPERATIONS / 2);
                pair.primary().kill();
                assertRefused(app);
                assertThat(app.log()).contains("Operations cannot be recorded", "the database is read-only");
                int before = clients.acknowledged();

                pair.standby().promote();
                clients.finish();

                assertThat(before).isLessThan(CLIENTS * OPERATIONS);
                assertApplied(pair.standby(), CLIENTS * OPERATIONS);
                assertThat(Waiting.until(() -> app.readiness() == 200, LONG)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ledger", "filter"})
    void anApplicationThatStartsOnIt(String mode) throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(HOME, directory.resolve("servers"))) {
            new Database(pair.primary()).create(1);
            try (Replica creates = launch(pair.url(), mode).awaitReady()) {
                assertThat(Replica.post(creates.port(), PATH, "first")).isEqualTo(200);
                creates.stop();
            }

            try (Replica app = launch(pair.standby().url(), mode)) {
                app.awaitResponse();
                assertRefused(app);
                assertThat(app.log()).contains("during recovery");

                pair.primary().kill();
                pair.standby().promote();

                for (String key : new String[] {"first", "second"}) {
                    assertThat(Waiting.until(() -> Replica.acknowledges(app.port(), PATH, key), LONG))
                            .isTrue();
                }
                assertApplied(pair.standby(), 2);
                assertThat(Waiting.until(() -> app.readiness() == 200, LONG)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ledger", "filter"})
    void anApplicationWithoutTablesDoesNotStartOnIt(String mode) throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(HOME, directory.resolve("servers"));
                Replica app = launch(pair.standby().url(), mode)) {
            assertThat(app.awaitExit()).isNotZero();
            assertThat(app.log()).contains("cannot execute CREATE TABLE in a read-only transaction");
        }
    }

    private static void assertRefused(Replica app) throws Exception {
        assertThat(Waiting.until(() -> app.get("/actuator/health").contains("read-only"), LONG))
                .as(app.get("/actuator/health"))
                .isTrue();
        HttpResponse<String> response =
                Http.exchange(Http.post(app.port(), PATH, "refused"), LONG).orElseThrow();
        assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(Waiting.until(() -> app.readiness() == 503, LONG)).isTrue();
    }

    private static void assertApplied(PostgresServer server, int operations) throws Exception {
        assertThat(server.number("SELECT views FROM torture_page WHERE name = 'page-0'"))
                .isEqualTo(operations);
        assertThat(server.number("SELECT count(DISTINCT operation) FROM torture_applied"))
                .isEqualTo(operations);
    }

    private Replica launch(String url, String mode) throws Exception {
        return Replica.launch(
                FixedPorts.free(),
                directory.resolve("app.log"),
                url,
                directory.resolve("fbf"),
                "fbf.mode=" + mode,
                "management.endpoint.health.show-details=always",
                "spring.datasource.hikari.connection-timeout=1000");
    }
}
