package dev.fbf.loadtest.torture.recovery;

import dev.fbf.loadtest.torture.postgres.FixedPorts;
import dev.fbf.loadtest.torture.postgres.PostgresServer;
import dev.fbf.loadtest.torture.system.RunDirectory;
import dev.fbf.loadtest.torture.system.Tables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * Kills applications amid requests, and measures how long it takes until they apply operations again: in each mode, with own SQL
 * and with {@code SqlCounters}, on one hot row and on many; with large filters; and without fbf; in turn. Writes the JSON
 * and prints the table last.
 */
public final class RecoveryBench {

    private static final String PREFIX = "recovery.";

    private final int rounds = Integer.getInteger(PREFIX + "rounds", 4);
    private final int kills = Integer.getInteger(PREFIX + "kills", 5);
    private final int mebibytes = Integer.getInteger(PREFIX + "mebibytes", 256);
    private final int largeMebibytes = Integer.getInteger(PREFIX + "largeMebibytes", 1024);
    private final boolean everyKind = Boolean.parseBoolean(System.getProperty(PREFIX + "everyKind", "true"));
    private final Duration traffic = Duration.ofMillis(Integer.getInteger(PREFIX + "trafficMillis", 1_000));
    private final Path directory = Path.of(System.getProperty(PREFIX + "directory", "target/recovery"));

    private RecoveryBench() {}

    /** Exits with 1 if an application never had anything to settle, so that the figures say nothing, or was ready too early. */
    public static void main(String[] args) throws IOException, InterruptedException, SQLException {
        RecoveryReport report = new RecoveryBench().run();
        Path json = Path.of(System.getProperty(PREFIX + "result", "target/results/recovery.json"))
                .toAbsolutePath();
        Files.createDirectories(json.getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        System.out.print(report.table());
        if (!report.settledSomething()) {
            System.err.println("An application in filter mode never had anything to settle.");
            System.exit(1);
        }
        if (report.refusedWhileReady() > 0) {
            System.err.println("An application said that it was ready, and refused operations.");
            System.exit(1);
        }
    }

    private RecoveryReport run() throws IOException, InterruptedException, SQLException {
        RunDirectory.empty(directory);
        Path home = directory.resolveSibling(directory.getFileName() + "-postgres");
        List<Contender> contenders = new ArrayList<>(List.of(
                Contender.withoutFbf(),
                Contender.withoutTransactions(),
                Contender.withFilter(mebibytes),
                Contender.withFilter(largeMebibytes)));
        if (everyKind) {
            contenders.addAll(Contender.ofEachKind());
        }
        try (PostgresServer postgres =
                PostgresServer.prepare(home, RunDirectory.postgres(directory), FixedPorts.free())) {
            postgres.start();
            new Tables(postgres).create(Contender.MANY);
            Machine machine = new Machine();
            List<Turn> turns = measure(contenders, postgres);
            return RecoveryReport.of(environment(postgres), machine.since(directory), contenders, turns);
        }
    }

    /** In each round each contender has its turns; the next round begins with the next contender. */
    private List<Turn> measure(List<Contender> contenders, PostgresServer postgres)
            throws IOException, InterruptedException, SQLException {
        List<RecoveringApp> apps = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                apps.add(RecoveringApp.of(contender, postgres, directory.resolve("app-" + apps.size())));
            }
            List<Turn> turns = new ArrayList<>();
            List<RecoveringApp> order = new ArrayList<>(apps);
            for (int round = 0; round < rounds; round++) {
                for (RecoveringApp app : order) {
                    List<Turn> its = app.turns(kills, traffic);
                    its.forEach(System.out::println);
                    turns.addAll(its);
                }
                Collections.rotate(order, -1);
            }
            return turns;
        } finally {
            apps.forEach(RecoveringApp::close);
        }
    }

    private static String environment(PostgresServer postgres) throws SQLException {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + ", PostgreSQL "
                + postgres.setting("server_version") + ", "
                + Runtime.getRuntime().availableProcessors() + " processors";
    }
}
