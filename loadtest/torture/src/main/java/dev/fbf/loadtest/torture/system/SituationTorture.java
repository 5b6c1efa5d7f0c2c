package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.situations.Situation;
import dev.fbf.loadtest.torture.situations.SituationApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Kills an application at random moments while guarded calls stand in all situations of docs/research/situations.md, in each mode. Fails if
 * an operation was lost, doubled or never acknowledged, or a situation had none.
 */
public final class SituationTorture implements Run {

    private static final Duration WAIT_OF_CLIENT = Duration.ofSeconds(6);

    /** Longer than the run: no operation is given up. */
    private static final Duration WINDOW = Duration.ofHours(1);

    /** Few: what is begun while the application is down is sent by no twin and has no replay. */
    private static final int UNFINISHED = 4;

    private static final Duration END = Duration.ofMinutes(5);
    private static final Duration QUIET = Duration.ofMinutes(1);

    /** One in so many kills is followed by another while the application starts. */
    private static final int KILLS_AT_START = 4;

    private static final int MILLIS_OF_START = 6_000;

    /**
     * What became of the operations of one situation.
     *
     * @param cut how many had a request whose connection broke, at a kill
     */
    record Line(String mode, String situation, long operations, long acknowledged, long cut, long lost, long doubled) {

        Line plus(Line other) {
            return new Line(
                    mode,
                    situation,
                    operations + other.operations,
                    acknowledged + other.acknowledged,
                    cut + other.cut,
                    lost + other.lost,
                    doubled + other.doubled);
        }
    }

    /** How long the application was at work in one mode, and how often it was killed. */
    record Turn(String mode, long kills, double secondsAtWork) {}

    private final List<Line> lines = new ArrayList<>();
    private final List<Turn> turns = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        Operations operations = new Operations(
                settings.integer("seed"), Situation.withOperations().size(), Double.MIN_VALUE);
        for (String mode : settings.list("modes").toList()) {
            torture(settings, mode, operations);
        }
        return new Findings(
                Map.of("situations", lines, "turns", turns, "remarks", remarks()),
                table(),
                List.of(),
                failures,
                Map.of());
    }

    private void torture(Settings settings, String mode, Operations operations)
            throws IOException, InterruptedException, SQLException {
        History history = new History();
        Traffic traffic = new Traffic(
                settings.atLeastOne("clients"), settings.positive("rate"), WAIT_OF_CLIENT, WINDOW, UNFINISHED);
        try (PostgresServer server = Database.startServer(settings)) {
            Database database = new Database(server);
            database.create(operations.counters());
            database.createSecond(Situation.TWO_DATABASES.page());
            try (AppProcess app = app(settings, mode, server)) {
                app.start();
                Fleet fleet = Fleet.start(traffic, operations, history, app.port());
                kill(settings, mode, app, history);
                fleet.finish(END);
                if (!Waiting.<SQLException>until(() -> server.openTransactions() == 0, QUIET)) {
                    throw new IllegalStateException("a transaction is still open " + QUIET + " after the last request");
                }
            }
            Verdict verdict = new Verdict(operations, history, 0);
            database.read(verdict, List.of(PostgresServer.DATABASE, Database.SECOND));
            System.out.print(verdict.explanation());
            judge(mode, operations, history, verdict);
        }
    }

    private static AppProcess app(Settings settings, String mode, PostgresServer server) throws IOException {
        Path directory = Files.createDirectories(settings.directory().resolve(mode));
        List<String> jvm = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
        String broken = settings.text("broken");
        if (!broken.isEmpty()) {
            jvm.addAll(TortureAgent.options(directory, broken));
        }
        int port = FixedPorts.free();
        List<String> arguments = List.of(
                "--spring.datasource.url=" + server.url(),
                "--spring.datasource.username=" + PostgresServer.USER,
                "--torture.second=" + PostgresServer.url(server.port(), Database.SECOND),
                "--fbf.directory=" + directory.resolve("fbf").toAbsolutePath(),
                "--fbf.mode=" + mode,
                "--fbf.retry-window=" + WINDOW.toSeconds() + "s",
                "--fbf.expected-operations-per-second=100",
                // what fails on purpose fills the log
                "--logging.level.org.apache.catalina.core.ContainerBase=off");
        return AppProcess.of(SituationApplication.class, port, directory.resolve("app.log"), jvm, arguments);
    }

    private void kill(Settings settings, String mode, AppProcess app, History history)
            throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(settings.integer("seed"));
        Duration wanted = settings.seconds("seconds");
        int longestLife = settings.atLeastOne("longest-life-millis");
        Duration atWork = Duration.ZERO;
        int kills = 0;
        while (atWork.compareTo(wanted) < 0) {
            atWork = atWork.plus(killAfter(random.nextInt(longestLife), app, history));
            kills++;
            if (random.nextInt(KILLS_AT_START) == 0) {
                app.launch();
                killAfter(random.nextInt(MILLIS_OF_START), app, history);
                kills++;
            }
            app.start();
        }
        turns.add(new Turn(mode, kills, atWork.toMillis() / 1e3));
    }

    private static Duration killAfter(int millis, AppProcess app, History history) throws InterruptedException {
        Duration life = Duration.ofMillis(millis);
        Waiting.sleep(life);
        app.kill();
        history.note("the application is killed");
        return life;
    }

    private void judge(String mode, Operations operations, History history, Verdict verdict) {
        Map<String, Line> byPage = new HashMap<>();
        List<Integer> counts = history.operationsOfClients();
        for (int client = 0; client < counts.size(); client++) {
            for (int index = 0; index < counts.get(client); index++) {
                long operation = Operations.number(client, index);
                String page = operations.counter(operation);
                Line one = new Line(
                        mode,
                        Situation.of(page).title(),
                        1,
                        history.isAcknowledged(operation) ? 1 : 0,
                        history.isCut(operation) ? 1 : 0,
                        verdict.lost().contains(operation) ? 1 : 0,
                        verdict.doubled().containsKey(operation) ? 1 : 0);
                byPage.merge(page, one, Line::plus);
            }
        }
        for (Situation situation : Situation.withOperations()) {
            Line line = byPage.getOrDefault(situation.page(), new Line(mode, situation.title(), 0, 0, 0, 0, 0));
            lines.add(line);
            if (line.operations() == 0 || line.acknowledged() < line.operations() || line.lost() + line.doubled() > 0) {
                failures.add(line.toString());
            }
        }
        if (!verdict.passed()) {
            failures.add(mode + ": " + verdict.total() + ", foreign="
                    + verdict.foreign().size() + ", wrong values="
                    + verdict.wrongValues().size());
        }
    }

    private static Map<String, String> remarks() {
        Map<String, String> remarks = new TreeMap<>();
        for (Situation situation : Situation.values()) {
            if (!situation.remark().isEmpty()) {
                remarks.put(situation.title(), situation.remark());
            }
        }
        return remarks;
    }

    private String table() {
        return Table.format(
                "%n%s%n%s%n%s",
                Table.of(turns)
                        .text("mode", Turn::mode)
                        .number("kills", "%,d", Turn::kills)
                        .number("seconds at work", "%.1f", Turn::secondsAtWork),
                Table.of(lines)
                        .text("mode", Line::mode)
                        .text("situation", Line::situation)
                        .number("operations", "%,d", Line::operations)
                        .number("acknowledged", "%,d", Line::acknowledged)
                        .number("cut", "%,d", Line::cut)
                        .number("lost", "%,d", Line::lost)
                        .number("doubled", "%,d", Line::doubled),
                Table.of(remarks().entrySet())
                        .text("situation", Map.Entry::getKey)
                        .text("remark", Map.Entry::getValue));
    }
}
