package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SynchronousPair;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Under load, PostgreSQL is killed or frozen, and its synchronous standby is promoted. Later the old primary is back for a while:
 * it cannot commit without a standby, but applications reach it.
 */
@Timeout(180)
class FailOverTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Traffic TRAFFIC = new Traffic(8, 200, Duration.ofSeconds(6), Duration.ofMinutes(10));
    private static final int OPERATIONS = 300;

    /** The driver looks at a server again that it knows to be down, or a standby, after a second. */
    private static final String TIMEOUTS = "&connectTimeout=1&loginTimeout=2&socketTimeout=2&hostRecheckSeconds=1";

    @TempDir
    Path directory;

    private final Operations operations = new Operations(1, 4, 0.6);
    private final History history = new History();

    @ParameterizedTest
    @CsvSource({"filter, killed", "filter, frozen", "ledger, killed", "ledger, frozen"})
    void nothingIsLostNorDoubledWhenTheStandbyTakesOver(String mode, String fault) throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(Path.of("..", "target", "postgres"), directory)) {
            PostgresServer old = pair.primary();
            PostgresServer promoted = pair.standby();
            new Database(old).create(4);
            try (Replica app = launch(pair, mode).awaitReady()) {
                new Database(old).watchCounters();
                Fleet fleet = Fleet.start(TRAFFIC, operations, history, app.port());
                awaitOperations(fleet);

                stop(old, fault);
                failOver(promoted, app, mode + ", old primary " + fault);
                awaitOperations(fleet);
                bringBack(old, fault);
                sendApplicationTo(old, promoted);
                old.kill();
                awaitOperations(fleet);
                fleet.finish(LONG);
            }
            Verdict verdict = new Verdict(operations, history, 0);
            new Database(promoted).read(verdict);
            System.out.println(verdict.total());
            assertThat(verdict.passed()).as(verdict.explanation()).isTrue();
            assertThat(verdict.total().acknowledged()).isEqualTo(verdict.total().operations());
        }
    }

    private Replica launch(SynchronousPair pair, String mode) throws Exception {
        return Replica.launch(
                FixedPorts.free(),
                directory.resolve("app.log"),
                pair.url() + TIMEOUTS,
                directory.resolve("fbf"),
                "fbf.mode=" + mode,
                "logging.level.dev.fbf.db.Settler=debug",
                "spring.datasource.hikari.connection-timeout=1000",
                "spring.datasource.hikari.validation-timeout=500");
    }

    private void stop(PostgresServer server, String fault) throws Exception {
        history.note("the primary is " + fault);
        if (fault.equals("frozen")) {
            server.freeze();
        } else {
            server.kill();
        }
    }

    private void failOver(PostgresServer standby, Replica app, String what) throws Exception {
        Duration took = standby.promote();
        long promoted = System.nanoTime();
        history.note("the standby is promoted");
        assertThat(Waiting.until(app::applies, LONG)).isTrue();
        history.note("an operation is applied");
        System.out.printf(
                "Fail-over, %s: promoted in %d ms, and %d ms later an operation was applied%n",
                what, took.toMillis(), (System.nanoTime() - promoted) / 1_000_000);
    }

    private void bringBack(PostgresServer old, String fault) throws Exception {
        history.note("the old primary comes back");
        if (fault.equals("frozen")) {
            old.thaw();
        } else {
            old.start();
        }
    }

    /** Cuts the application's connections until it has one to the old primary, and waits there for the standby. */
    private void sendApplicationTo(PostgresServer old, PostgresServer promoted) throws Exception {
        assertThat(Waiting.<SQLException>until(
                        () -> {
                            promoted.query(
                                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                            + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
                                    row -> row.getBoolean(1));
                            return Waiting.until(() -> waitsForStandby(old), Duration.ofSeconds(1));
                        },
                        LONG))
                .isTrue();
        history.note("the application waits for the old primary");
    }

    private static boolean waitsForStandby(PostgresServer old) throws SQLException {
        return old.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0;
    }

    private static void awaitOperations(Fleet fleet) throws InterruptedException {
        long before = fleet.acknowledged();
        assertThat(Waiting.until(() -> fleet.acknowledged() >= before + OPERATIONS, LONG))
                .isTrue();
    }
}
