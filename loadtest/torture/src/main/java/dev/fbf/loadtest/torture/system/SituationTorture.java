package dev.fbf.loadtest.torture.system;

import static java.util.Objects.requireNonNull;

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
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

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

    /** What is counted of the operations of a situation. */
    enum Count {
        OPERATIONS,
        ACKNOWLEDGED,
        /** They had a request whose connection broke, at a kill. */
        CUT,
        LOST,
        DOUBLED
    }

    record Line(String mode, String situation, Map<Count, Integer> counts) {

        Line(String mode, Situation situation) {
            this(mode, situation.title(), new EnumMap<>(Count.class));
        }

        void add(Count count, boolean isSo) {
            counts.merge(count, isSo ? 1 : 0, Integer::sum);
        }

        int of(Count count) {
            return counts.getOrDefault(count, 0);
        }

        boolean isPassed() {
            return of(Count.OPERATIONS) > 0
                    && of(Count.ACKNOWLEDGED) == of(Count.OPERATIONS)
                    && of(Count.LOST) + of(Count.DOUBLED) == 0;
        }
    }

    /** How long the application was at work in one mode, and how often it was killed. */
    record Turn(String mode, long kills, double secondsAtWork) {}

    private final List<Line> lines = new ArrayList<>();
    private final List<Turn> turns = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        Operations operations = new Operations(settings.integer("seed"), Situation.values().length, Double.MIN_VALUE);
        for (String mode : settings.list("modes").toList()) {
            torture(settings, mode, operations);
        }
        return new Findings(Map.of("situations", lines, "turns", turns), table(), List.of(), failures, Map.of());
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
            Verdict verdict = new Verdict(operations, history);
            database.read(verdict, List.of(PostgresServer.DATABASE, Database.SECOND));
            System.out.print(verdict.explanation());
            judge(mode, operations, history, verdict);
        }
    }

    private static AppProcess app(Settings settings, String mode, PostgresServer server) throws IOException {
        Path directory = Files.createDirectories(settings.directory().resolve(mode));
        List<String> arguments = AppProcess.onDatabase(
                server.url(),
                directory.resolve("fbf"),
                List.of(
                        "--torture.second=" + PostgresServer.url(server.port(), Database.SECOND),
                        "--fbf.mode=" + mode,
                        "--fbf.retry-window=" + WINDOW.toSeconds() + "s",
                        "--fbf.expected-operations-per-second=100",
                        // what fails on purpose fills the log
                        "--logging.level.org.apache.catalina.core.ContainerBase=off"));
        List<String> jvm = TortureAgent.breaking(directory, settings.text("broken"));
        Path log = directory.resolve("app.log");
        return AppProcess.of(SituationApplication.class, FixedPorts.free(), log, jvm, arguments);
    }

    private void kill(Settings settings, String mode, AppProcess app, History history)
            throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(settings.integer("seed"));
        long wanted = settings.seconds("seconds").toMillis();
        int longestLife = settings.atLeastOne("longest-life-millis");
        long millisAtWork = 0;
        int kills = 0;
        while (millisAtWork < wanted) {
            millisAtWork += killAfter(random.nextInt(longestLife), app, history);
            kills++;
            if (random.nextInt(KILLS_AT_START) == 0) {
                app.launch();
                killAfter(random.nextInt(MILLIS_OF_START), app, history);
                kills++;
            }
            app.start();
        }
        turns.add(new Turn(mode, kills, millisAtWork / 1e3));
    }

    private static int killAfter(int millis, AppProcess app, History history) throws InterruptedException {
        Waiting.sleep(Duration.ofMillis(millis));
        app.kill();
        history.note("the application is killed");
        return millis;
    }

    private void judge(String mode, Operations operations, History history, Verdict verdict) {
        Map<Situation, Line> bySituation = new EnumMap<>(Situation.class);
        for (Situation situation : Situation.values()) {
            bySituation.put(situation, new Line(mode, situation));
        }
        history.forEachOperation(operation -> {
            Line line = requireNonNull(bySituation.get(Situation.of(operations.counter(operation))));
            line.add(Count.OPERATIONS, true);
            line.add(Count.ACKNOWLEDGED, history.isAcknowledged(operation));
            line.add(Count.CUT, history.isCut(operation));
            line.add(Count.LOST, verdict.lost.contains(operation));
            line.add(Count.DOUBLED, verdict.doubled.containsKey(operation));
        });
        lines.addAll(bySituation.values());
        bySituation.values().stream().filter(line -> !line.isPassed()).forEach(line -> failures.add(line.toString()));
        if (!verdict.passed()) {
            failures.add(mode + ": " + verdict.total() + ", foreign="
                    + verdict.foreign.size() + ", wrong values="
                    + verdict.wrongValues.size());
        }
    }

    private String table() {
        Table<Line> table = Table.<Line>of(lines).text("mode", Line::mode).text("situation", Line::situation);
        for (Count count : Count.values()) {
            table.number(count.name().toLowerCase(Locale.ROOT), "%,d", line -> line.of(count));
        }
        return Table.format(
                "%n%s%n%s",
                Table.of(turns)
                        .text("mode", Turn::mode)
                        .number("kills", "%,d", Turn::kills)
                        .number("seconds at work", "%.1f", Turn::secondsAtWork),
                table);
    }
}
