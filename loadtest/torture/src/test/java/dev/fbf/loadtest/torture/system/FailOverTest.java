package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.wire.DatabaseRelay;
import dev.fbf.loadtest.torture.wire.Interception;
import dev.fbf.loadtest.torture.wire.Interception.Action;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import dev.fbf.loadtest.torture.wire.Interceptions;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Under load, the primary is killed, frozen or stopped while COMMITs are cut off, its synchronous standby is promoted, and the old primary comes back,
 * where the application reaches it until it is killed for good. {@code -Dfbf.fail-overs=20} repeats each case with other seeds.
 *
 * <pre>
 *                           ┌── proxy ── primary
 *   clients ── application ─┤               │
 *                           └── proxy ── standby
 * </pre>
 */
@Timeout(3_600)
class FailOverTest {

    private enum Fault {
        /** SIGKILL; it comes back when the standby has been at work for a while. */
        KILLED,
        /** SIGKILL; it comes back while the standby is promoted. */
        KILLED_AND_BACK_AT_ONCE,
        /** SIGSTOP; it comes back when the standby has been at work for a while. */
        FROZEN,
        /** It is stopped in order, and comes back as if it were still the primary. */
        SWITCHED_OVER
    }

    private static final int FAIL_OVERS = Integer.getInteger("fbf.fail-overs", 1);
    private static final Path HOME = Path.of("..", "target", "postgres");
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int OPERATIONS_OF_PHASE = 200;
    private static final List<Moment> MOMENTS = List.of(Moment.COMMIT, Moment.GROUP);
    private static final List<Action> CUTS = List.of(Action.CUT_BEFORE, Action.CUT_AFTER);

    @TempDir
    private Path directory;

    private final Interceptions interceptions = new Interceptions(what -> {});
    private SplittableRandom random = new SplittableRandom(0);

    @Tag("slow")
    @ParameterizedTest
    @CsvSource("ledger, KILLED")
    void nothingIsLostNorDoubledWhenTheStandbyTakesOver(String mode, Fault fault) throws Exception {
        failOver(mode, fault);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({
        "filter, KILLED",
        "filter, FROZEN",
        "filter, KILLED_AND_BACK_AT_ONCE",
        "filter, SWITCHED_OVER",
        "ledger, FROZEN",
        "ledger, KILLED_AND_BACK_AT_ONCE",
        "ledger, SWITCHED_OVER"
    })
    void norInTheOtherCases(String mode, Fault fault) throws Exception {
        failOver(mode, fault);
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"ledger", "filter"})
    void anApplicationThatStartsOnAStandbyRefusesOperationsUntilItIsPromoted(String mode) throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(HOME, directory.resolve("servers"))) {
            new Database(pair.primary()).create(1);
            try (Replica creates = launch(pair.url(), mode).awaitReady()) {
                assertThat(Replica.post(creates.port(), Replicas.PATH, "first")).isEqualTo(200);
                creates.stop();
            }

            try (Replica app = launch(pair.standby().url(), mode)) {
                app.awaitResponse();
                assertThat(Waiting.until(() -> app.get("/actuator/health").contains("read-only"), LONG))
                        .isTrue();
                assertThat(Replica.post(app.port(), Replicas.PATH, "refused")).isEqualTo(503);
                assertThat(app.readiness()).isEqualTo(503);

                pair.primary().kill();
                pair.promoteStandby();

                for (String key : List.of("first", "second")) {
                    assertThat(Waiting.until(() -> Replica.acknowledges(app.port(), Replicas.PATH, key), LONG))
                            .isTrue();
                }
                assertThat(pair.standby().number("SELECT views FROM torture_page"))
                        .isEqualTo(2);
                assertThat(Waiting.until(() -> app.readiness() == 200, LONG)).isTrue();
            }
        }
    }

    /**
     * Recovery shows a row that the standby has not, and lets no COMMIT that it shows wait any more. A retry that is told
     * "applied" by it would be the last one, and what it counted would be lost with the primary.
     */
    @Tag("slow")
    @Test
    void whatTheStandbyHasNotIsNotAppliedThoughRecoveryShowsItAndAppliedOnceAfterTheFailOver() throws Exception {
        try (SynchronousPair pair = SynchronousPair.start(HOME, directory.resolve("servers"))) {
            PostgresServer primary = pair.primary();
            new Database(primary).create(1);
            try (Replica app = launch(pair.url() + "&connectTimeout=1&hostRecheckSeconds=1&socketTimeout=2", "ledger")
                    .awaitReady()) {
                for (int attempt = 0; attempt < 2; attempt++) { // the retry makes the application trust the server
                    assertThat(Replica.post(app.port(), Replicas.PATH, "first")).isEqualTo(200);
                }
                pair.detachStandby();
                assertThat(Replica.post(app.port(), Replicas.PATH, "waits")).isEqualTo(503);
                assertThat(primary.killBackend(
                                primary.number("SELECT min(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")))
                        .isTrue();
                primary.awaitReady();
                assertThat(Waiting.<SQLException>until(() -> viewsAfterRecovery(primary) == 2, LONG))
                        .isTrue();

                for (int retry = 0; retry < 3; retry++) {
                    assertThat(Replica.post(app.port(), Replicas.PATH, "waits")).isEqualTo(503);
                }

                primary.kill();
                pair.promoteStandby();
                for (int retry = 0; retry < 2; retry++) {
                    assertThat(Waiting.until(() -> Replica.acknowledges(app.port(), Replicas.PATH, "waits"), LONG))
                            .isTrue();
                }
                assertThat(pair.standby().number("SELECT views FROM torture_page"))
                        .isEqualTo(2);
            }
        }
    }

    /** Zero while the server still ends its other backends, or recovers. */
    private static long viewsAfterRecovery(PostgresServer server) {
        try {
            return server.number("SELECT views FROM torture_page");
        } catch (SQLException e) {
            return 0;
        }
    }

    private Replica launch(String url, String mode) throws IOException {
        return Replica.launch(
                FixedPorts.free(),
                directory.resolve("app.log"),
                url,
                directory.resolve("fbf"),
                "fbf.mode=" + mode,
                "management.endpoint.health.show-details=always",
                "spring.datasource.hikari.connection-timeout=1000");
    }

    private void failOver(String mode, Fault fault) throws Exception {
        for (int seed = 1; seed <= FAIL_OVERS; seed++) {
            random = new SplittableRandom(seed);
            Path files = Files.createDirectories(directory.resolve(mode + "-" + seed));
            try (SynchronousPair pair = SynchronousPair.start(HOME, files.resolve("servers"));
                    TcpProxy first = proxy(pair.primary());
                    TcpProxy second = proxy(pair.standby());
                    LoadedApp app = LoadedApp.start(
                            files,
                            mode,
                            "127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port(),
                            1,
                            pair.primary(),
                            OPERATIONS_OF_PHASE,
                            seed)) {
                failOver(fault, pair, app);
                Verdict verdict = app.finish(pair.standby().port());
                assertThat(verdict.passed()).as(verdict.explanation()).isTrue();
                assertThat(verdict.total().acknowledged())
                        .isEqualTo(verdict.total().operations());
            }
        }
    }

    private void failOver(Fault fault, SynchronousPair pair, LoadedApp app) throws Exception {
        PostgresServer old = pair.primary();
        awaitOperations(app);
        app.history.note("the primary is " + fault);
        stop(fault, old);
        CompletableFuture<Void> back = CompletableFuture.completedFuture(null);
        if (fault == Fault.KILLED_AND_BACK_AT_ONCE) {
            back = CompletableFuture.runAsync(() -> bringBack(fault, old));
        }
        pair.promoteStandby();
        app.history.note("the standby is promoted");
        if (fault != Fault.KILLED_AND_BACK_AT_ONCE) {
            awaitOperations(app);
            bringBack(fault, old);
        }
        back.join();
        app.history.note("the old primary is back");
        assertThat(reaches(old, pair.standby())).isTrue();
        old.kill();
        app.history.note("the old primary is killed for good");
        app.awaitMore(OPERATIONS_OF_PHASE, () -> {});
    }

    private TcpProxy proxy(PostgresServer server) throws IOException {
        return TcpProxy.open(
                "database-" + server.port(), List.of(server.port()), () -> DatabaseRelay.ofPostgres(interceptions));
    }

    /**
     * Ends or freezes the primary. A frozen one is taken for dead after 2 to 4 seconds. A longer outage would measure HikariCP, which
     * pauses for up to 5 seconds between attempts to connect.
     */
    private void stop(Fault fault, PostgresServer server) throws IOException, InterruptedException {
        if (fault == Fault.FROZEN) {
            Tool.freeze(server.process());
            Waiting.sleep(Duration.ofMillis(2_000 + random.nextInt(2_000)));
        } else if (fault == Fault.SWITCHED_OVER) {
            server.close();
        } else {
            server.kill();
        }
    }

    private static void bringBack(Fault fault, PostgresServer old) {
        try {
            if (fault == Fault.FROZEN) {
                Tool.thaw(old.process());
            } else {
                old.start();
            }
        } catch (IOException e) {
            throw new CompletionException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }

    /** Cuts the application's connections again and again, until one of its operations waits at the old primary. */
    private static boolean reaches(PostgresServer old, PostgresServer standby)
            throws SQLException, InterruptedException {
        return Waiting.<SQLException>until(
                () -> {
                    for (long backend : standby.backends()) {
                        standby.terminateBackend(backend);
                    }
                    return Waiting.<SQLException>until(
                            () -> old.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0,
                            Duration.ofSeconds(1));
                },
                LONG);
    }

    /** Waits for more acknowledged operations, and cuts COMMITs off meanwhile. */
    private void awaitOperations(LoadedApp app) throws InterruptedException {
        app.awaitMore(OPERATIONS_OF_PHASE, () -> {
            Moment moment = MOMENTS.get(random.nextInt(MOMENTS.size()));
            if (random.nextInt(10) == 0 && interceptions.waiting(moment) == 0) {
                interceptions.add(new Interception(moment, CUTS.get(random.nextInt(CUTS.size())), Duration.ZERO));
            }
        });
        interceptions.heal();
    }
}
