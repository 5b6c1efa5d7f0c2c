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
 * Kills an application amid requests, and measures how long it takes until it is ready again: with a filter, with a large
 * one, and without fbf, in turn. Writes the JSON and prints the table last.
 */
public final class RecoveryBench {

    private static final String PREFIX = "recovery.";

    private final int rounds = Integer.getInteger(PREFIX + "rounds", 9);
    private final int mebibytes = Integer.getInteger(PREFIX + "mebibytes", 256);
    private final int largeMebibytes = Integer.getInteger(PREFIX + "largeMebibytes", 1024);
    private final Duration traffic = Duration.ofMillis(Integer.getInteger(PREFIX + "trafficMillis", 1_000));
    private final Path directory = Path.of(System.getProperty(PREFIX + "directory", "target/recovery"));

    private RecoveryBench() {}

    /** Exits with 1 if an application with fbf never had anything to settle: then the figures say nothing. */
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
            System.err.println("An application with fbf never had anything to settle.");
            System.exit(1);
        }
    }

    private RecoveryReport run() throws IOException, InterruptedException, SQLException {
        RunDirectory.empty(directory);
        Path home = directory.resolveSibling(directory.getFileName() + "-postgres");
        try (PostgresServer postgres =
                PostgresServer.prepare(home, RunDirectory.postgres(directory), FixedPorts.free())) {
            postgres.start();
            new Tables(postgres).create(Callers.COUNTERS);
            try (RecoveringApp without = RecoveringApp.withoutFbf(postgres, directory.resolve("without"));
                    RecoveringApp filter = RecoveringApp.withFilter(mebibytes, postgres, directory.resolve("filter"));
                    RecoveringApp large =
                            RecoveringApp.withFilter(largeMebibytes, postgres, directory.resolve("large"))) {
                List<RecoveringApp> apps = List.of(without, filter, large);
                return RecoveryReport.of(
                        environment(postgres),
                        apps.stream().map(RecoveringApp::contender).toList(),
                        measure(apps));
            }
        }
    }

    private List<Turn> measure(List<RecoveringApp> apps) throws IOException, InterruptedException {
        List<Turn> turns = new ArrayList<>();
        List<RecoveringApp> order = new ArrayList<>(apps);
        for (int round = 0; round < rounds; round++) {
            for (RecoveringApp app : order) {
                Turn turn = app.turn(traffic);
                turns.add(turn);
                System.out.println(turn);
            }
            Collections.rotate(order, -1);
        }
        return turns;
    }

    private static String environment(PostgresServer postgres) throws SQLException {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + ", PostgreSQL "
                + postgres.setting("server_version") + ", "
                + Runtime.getRuntime().availableProcessors() + " processors";
    }
}
