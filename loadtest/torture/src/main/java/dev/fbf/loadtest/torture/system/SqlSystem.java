package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.harness.sql.MariaDbServer;
import dev.fbf.loadtest.harness.sql.SqlServer;
import dev.fbf.loadtest.torture.agent.Step;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.situations.Situation;
import dev.fbf.loadtest.torture.wire.Interception.Moment;
import dev.fbf.loadtest.torture.wire.Interceptions;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Applications on PostgreSQL or MariaDB. Fails if no group had several operations, or clients had to wait too long after a kill.
 *
 * <pre>
 *   clients ── proxy ──┬── node 0 ── proxy ──┬── database
 *                      └── node 1 ── proxy ──┘
 * </pre>
 */
final class SqlSystem implements SystemUnderTorture {

    private static final Duration QUIET = Duration.ofSeconds(60);
    private static final Duration LIFE = Duration.ofSeconds(2);

    /** What waits for applications to come back waits so long. */
    static final Duration RESTART = Duration.ofMinutes(1);

    final History history;
    final Report report;
    final List<Node> nodes = new ArrayList<>();
    final SqlServer server;
    final TcpProxy front;

    /** At which an agent can kill the applications. */
    final List<Step> steps;

    private final Database database;

    /** The moments that apply an operation in this run: COMMIT of a transaction and, on PostgreSQL, the statement of a group. */
    private final List<Moment> ends;

    private final boolean countsGroups;
    private final int lives;
    private final Duration recoveryBound;

    /** Held for reading by what is done to the database and its network, for writing by a kill whose restart is left alone. */
    private final ReadWriteLock peace = new ReentrantReadWriteLock();

    @SuppressWarnings("MustBeClosedChecker") // closed with the system
    SqlSystem(Settings settings, History history, Report report)
            throws IOException, InterruptedException, SQLException {
        this.history = history;
        this.report = report;
        lives = settings.count("lives");
        recoveryBound = settings.millis("recovery-bound-millis");
        boolean inSituations = settings.flag("situations");
        boolean inGroups = settings.share("grouped") > 0;
        boolean onMariaDb = settings.text("database").equals("mariadb");
        boolean groupsHaveOneStatement = inGroups && !onMariaDb;
        ends = groupsHaveOneStatement ? List.of(Moment.COMMIT, Moment.GROUP) : List.of(Moment.COMMIT);
        steps = Step.in(settings.text("mode"), groupsHaveOneStatement);
        Path directory = settings.directory();
        server = onMariaDb
                ? MariaDbServer.startNew(directory.resolve("mariadb"))
                : PostgresServer.startNew(
                        settings.postgres(), directory.resolve("postgres"), PostgresServer.SHORT_RECOVERY);
        database = onMariaDb ? new MariaDbDatabase(server) : new Database(server);
        countsGroups = inGroups;
        try {
            database.create(inSituations ? Situation.values().length : settings.atLeastOne("counters"));
            if (inSituations) {
                database.createSecond(Situation.TWO_DATABASES.page());
            }
            for (int number = 0; number < settings.atLeastOne("nodes"); number++) {
                Node node = Node.of(settings, number, server, history);
                nodes.add(node);
                node.app().start();
            }
            if (inGroups) {
                database.watchCounters();
            }
            front = TcpProxy.open(
                    "front", nodes.stream().map(node -> node.app().port()).toList(), () -> Relay.PLAIN);
        } catch (Throwable e) {
            for (Node node : nodes) {
                node.close();
            }
            server.close();
            throw e;
        }
    }

    @Override
    public int port() {
        return front.port();
    }

    @Override
    public void happen(Schedule.Event event, Fleet fleet) throws IOException, InterruptedException, SQLException {
        Happening happening = new Happening(this, fleet, event);
        if (!happening.leftAlone && !happening.disturbsRestarts()) {
            happening.happen();
            return;
        }
        Lock lock = happening.leftAlone ? peace.writeLock() : peace.readLock();
        lock.lock();
        try {
            happening.happen();
        } finally {
            lock.unlock();
        }
    }

    /** And then kills all applications at once, again and again, each time a little after they are ready: each of their lives must count. */
    @Override
    public void heal() throws IOException, InterruptedException, SQLException {
        for (Node node : nodes) {
            for (Moment moment : Moment.values()) {
                if (!Waiting.until(() -> node.interceptions().waiting(moment) == 0, RESTART)) {
                    report.count(Report.MISSED, "at " + moment + ": nothing came by");
                }
            }
            node.interceptions().heal();
            node.database().heal();
        }
        front.heal();
        server.awaitReady();
        for (Node node : nodes) {
            if (!node.app().isReady()) {
                node.app().kill();
                report.started(node.app().start(), false);
            }
        }
        history.note("everything is healed");
        for (int life = 0; life < lives; life++) {
            live();
        }
    }

    private void live() throws IOException, InterruptedException, SQLException {
        nodes.forEach(node -> node.app().kill());
        long before = database.applied();
        for (Node node : nodes) {
            report.started(node.app().start(), true);
        }
        Waiting.sleep(LIFE);
        long applied = database.applied() - before;
        report.lived(applied);
        history.note("killed after a life of " + applied + " operations");
    }

    @Override
    public void read(Verdict verdict) throws InterruptedException, SQLException {
        boolean isQuiet = Waiting.<SQLException>until(
                () -> server.openTransactions() == 0
                        && nodes.stream().allMatch(node -> node.interceptions().held() == 0),
                QUIET);
        if (!isQuiet) {
            throw new IllegalStateException("something is still at work " + QUIET + " after the last request");
        }
        database.read(verdict);
        for (Node node : nodes) {
            Interceptions interceptions = node.interceptions();
            for (Moment moment : Moment.values()) {
                report.add("batches seen", moment, interceptions.passed(moment));
            }
            interceptions.done().forEach((what, count) -> report.add("intercepted", what, count));
            for (String outcome : List.of("applied", "new")) {
                String line = ": settled as " + outcome + ".";
                report.add("in doubt, settled as", outcome, node.app().logged(each -> each.endsWith(line)));
            }
        }
        // faults that are aimed at a COMMIT which nobody recognizes would show nothing
        for (Moment moment : ends) {
            report.failIf(
                    nodes.stream().allMatch(node -> node.interceptions().passed(moment) == 0),
                    "no " + moment + " came by");
        }
        if (countsGroups) {
            long groups = database.groupsOfSeveral();
            report.add("groups", "of several operations", groups);
            report.failIf(groups == 0, "no group had several operations");
        }
        report.failIf(
                !report.isRecoveryPassed(recoveryBound),
                "clients waited too long after a kill, or a life of the crash loop applied nothing");
    }

    @Override
    public List<Target> targets() {
        return report.targets(recoveryBound);
    }

    @Override
    public Map<String, String> servers() throws SQLException {
        return Map.of("database", server.version());
    }

    @Override
    public void close() throws IOException {
        front.close();
        for (Node node : nodes) {
            node.close();
        }
        server.close();
    }
}
