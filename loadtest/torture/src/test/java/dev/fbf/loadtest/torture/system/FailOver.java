package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SynchronousPair;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.pgwire.DatabaseRelay;
import dev.fbf.loadtest.torture.pgwire.Interception;
import dev.fbf.loadtest.torture.pgwire.Interception.Action;
import dev.fbf.loadtest.torture.pgwire.Interception.Moment;
import dev.fbf.loadtest.torture.pgwire.Interceptions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * One failover under load: the primary is killed or frozen while COMMITs are cut off, its synchronous standby is promoted, and the old
 * primary comes back, where the application reaches it until it is killed for good.
 *
 * <pre>
 *                               ┌── proxy ── primary
 *   clients ── application ──┤                │
 *                               └── proxy ── standby
 * </pre>
 */
final class FailOver {

    /** What happens to the primary. */
    enum Fault {
        /** SIGKILL; it comes back when the standby has been at work for a while. */
        KILLED,
        /** SIGKILL; it comes back while the standby is promoted. */
        KILLED_AND_BACK_AT_ONCE,
        /** SIGSTOP; it comes back when the standby has been at work for a while. */
        FROZEN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * How it went.
     *
     * @param promoted how long the promotion took
     * @param atWork how long after it the first operation was applied
     * @param reachedOld whether an operation waited at the old primary when that was back
     */
    record Result(String mode, Fault fault, Duration promoted, Duration atWork, boolean reachedOld, Verdict verdict) {}

    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration SILENT = Duration.ofSeconds(2);
    private static final Duration AWHILE = Duration.ofSeconds(15);
    private static final Duration WAIT_OF_CLIENT = Duration.ofSeconds(6);
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration BETWEEN_CUTS = Duration.ofMillis(50);
    private static final int COUNTERS = 4;
    private static final double GROUPED = 0.6;
    private static final List<Moment> MOMENTS = List.of(Moment.COMMIT, Moment.GROUP);
    private static final List<Action> CUTS = List.of(Action.CUT_BEFORE, Action.CUT_AFTER);
    private static final List<String> GUARDED_TABLES = List.of("fbf_witness", "fbf_ledger", "torture_applied");

    /** The settings of docs/deployment.md, without TLS: an attempt to connect to a silent server takes socketTimeout, not sslResponseTimeout. */
    private static final String TIMEOUTS =
            "?targetServerType=primary&hostRecheckSeconds=1&sslmode=disable&connectTimeout=1&loginTimeout=10&socketTimeout=1";

    private final Path home;
    private final Path directory;
    private final String mode;
    private final Fault fault;
    private final int operationsOfPhase;
    private final SplittableRandom random;
    private final Traffic traffic;
    private final Operations operations;
    private final History history = new History();
    private final Interceptions interceptions = new Interceptions(history::note);

    /**
     * Prepares one.
     *
     * @param home of PostgreSQL's programs
     * @param directory which is emptied
     * @param operationsOfPhase how many operations are to be acknowledged before the fault, after it, and when the old primary is gone
     */
    FailOver(Path home, Path directory, String mode, Fault fault, int operationsOfPhase, double rate, long seed) {
        this.home = home;
        this.directory = directory;
        this.mode = mode;
        this.fault = fault;
        this.operationsOfPhase = operationsOfPhase;
        random = new SplittableRandom(seed);
        traffic = new Traffic(8, rate, WAIT_OF_CLIENT, WINDOW);
        operations = new Operations(seed, COUNTERS, GROUPED);
    }

    Result run() throws IOException, InterruptedException, SQLException {
        try (SynchronousPair pair = SynchronousPair.start(home, directory);
                TcpProxy first = proxy(pair.primary());
                TcpProxy second = proxy(pair.standby())) {
            new Database(pair.primary()).create(COUNTERS);
            try (AppProcess app = app(first.port(), second.port())) {
                app.start();
                new Database(pair.primary()).watchCounters();
                return failOver(pair.primary(), pair.standby(), app);
            }
        }
    }

    private Result failOver(PostgresServer old, PostgresServer standby, AppProcess app)
            throws IOException, InterruptedException, SQLException {
        Fleet fleet = Fleet.start(traffic, operations, history, app.port());
        awaitOperations(fleet, true);
        stop(old);
        CompletableFuture<Void> back =
                fault == Fault.KILLED_AND_BACK_AT_ONCE ? bringBackLater(old) : CompletableFuture.completedFuture(null);
        Duration promoted = standby.promote();
        history.note("the standby is promoted");
        Duration atWork = awaitWork(app, fault == Fault.KILLED_AND_BACK_AT_ONCE ? AWHILE : LONG);
        if (fault == Fault.KILLED_AND_BACK_AT_ONCE) {
            join(back);
        } else {
            awaitOperations(fleet, true);
            bringBack(old);
        }
        boolean reachedOld = sendApplicationTo(old, standby);
        old.kill();
        history.note("the old primary is killed for good");
        awaitOperations(fleet, false);
        fleet.finish(LONG);
        Verdict verdict = new Verdict(operations, history, 0);
        new Database(standby).read(verdict);
        return new Result(mode, fault, promoted, atWork, reachedOld, verdict);
    }

    private TcpProxy proxy(PostgresServer server) throws IOException {
        return TcpProxy.open(
                "database-" + server.port(),
                List.of(server.port()),
                () -> new DatabaseRelay(interceptions, GUARDED_TABLES));
    }

    private AppProcess app(int first, int second) throws IOException {
        return AppProcess.of(
                FixedPorts.free(),
                directory.resolve("app.log"),
                List.of(),
                "jdbc:postgresql://127.0.0.1:" + first + ",127.0.0.1:" + second + "/postgres" + TIMEOUTS,
                directory.resolve("fbf"),
                List.of(
                        "--torture.counters=true",
                        "--fbf.mode=" + mode,
                        "--logging.level.dev.fbf.db.witness.Settler=debug",
                        "--spring.datasource.hikari.connection-timeout=1000",
                        "--spring.datasource.hikari.validation-timeout=500"));
    }

    /**
     * Kills or freezes the primary. A frozen one is taken for dead after 2 to 4 seconds. A longer outage would measure HikariCP, which
     * pauses for up to 5 seconds between attempts to connect.
     */
    private void stop(PostgresServer server) throws IOException, InterruptedException {
        history.note("the primary is " + fault);
        if (fault == Fault.FROZEN) {
            server.freeze();
            Waiting.sleep(SILENT.plusMillis(random.nextInt(2_000)));
        } else {
            server.kill();
        }
    }

    /** How long it takes until an operation is applied, or so long. */
    private Duration awaitWork(AppProcess app, Duration most) throws InterruptedException {
        long begin = System.nanoTime();
        Waiting.until(app::applies, most);
        history.note("an operation is applied");
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private CompletableFuture<Void> bringBackLater(PostgresServer old) {
        return CompletableFuture.runAsync(() -> {
            try {
                bringBack(old);
            } catch (IOException e) {
                throw new CompletionException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CompletionException(e);
            }
        });
    }

    private void bringBack(PostgresServer old) throws IOException, InterruptedException {
        if (fault == Fault.FROZEN) {
            old.thaw();
        } else {
            old.start();
        }
        history.note("the old primary is back");
    }

    private static void join(CompletableFuture<Void> back) throws IOException {
        try {
            back.join();
        } catch (CompletionException e) {
            throw new IOException("the old primary does not come back", e.getCause());
        }
    }

    /** Cuts the application's connections again and again, until one of its operations waits at the old primary. */
    private boolean sendApplicationTo(PostgresServer old, PostgresServer standby)
            throws SQLException, InterruptedException {
        return Waiting.<SQLException>until(
                () -> {
                    standby.query(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                    + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
                            row -> row.getBoolean(1));
                    return waitsAtOld(old);
                },
                LONG);
    }

    private static boolean waitsAtOld(PostgresServer old) throws SQLException, InterruptedException {
        return Waiting.until(
                () -> old.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0,
                Duration.ofSeconds(1));
    }

    /** Waits for more of them, while COMMITs are cut off. */
    private void awaitOperations(Fleet fleet, boolean cuts) throws InterruptedException {
        long wanted = fleet.acknowledged() + operationsOfPhase;
        boolean done = Waiting.until(
                () -> {
                    if (cuts) {
                        cut();
                    }
                    return fleet.acknowledged() >= wanted;
                },
                LONG);
        interceptions.heal();
        if (!done) {
            throw new IllegalStateException("no more operations are acknowledged: see " + directory);
        }
    }

    private void cut() throws InterruptedException {
        Waiting.sleep(BETWEEN_CUTS);
        Moment moment = MOMENTS.get(random.nextInt(MOMENTS.size()));
        if (interceptions.waiting(moment) == 0) {
            interceptions.add(new Interception(moment, CUTS.get(random.nextInt(CUTS.size())), Duration.ZERO));
        }
    }
}
