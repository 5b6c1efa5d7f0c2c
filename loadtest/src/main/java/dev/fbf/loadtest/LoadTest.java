package dev.fbf.loadtest;

import io.gatling.app.Gatling$;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;

/** Starts a database and the sample app, loads the app, and reports what the database counted. */
public final class LoadTest {

    private LoadTest() {}

    /** Ends the JVM with 0 if the guarded counter is exact and every operation was acknowledged, else with 1. */
    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.from(System::getProperty);
        Path directory = Files.createDirectories(Path.of(System.getProperty("loadtest.directory", "target")));
        Path app = Path.of(System.getProperty("loadtest.app", ""));
        Report report = run(parameters, app, directory);
        write(report, directory.resolve("results").resolve("loadtest.json"));
        System.out.print(ReportTable.of(report));
        System.out.flush();
        System.exit(report.complaints().isEmpty() ? 0 : 1);
    }

    private static Report run(Parameters parameters, Path jar, Path directory)
            throws IOException, InterruptedException, SQLException {
        try (Database database = Database.start(directory);
                SampleApp app = SampleApp.start(jar, directory, database.url())) {
            Traffic traffic = new Traffic(parameters);
            LoadSimulation.assign(traffic, app.address());
            gatling(directory.resolve("gatling"));
            database.awaitIdle();
            return report(traffic, database);
        }
    }

    private static void gatling(Path results) {
        stayAtHome(results);
        // Gatling.main() would end this JVM before it could ask the database
        int status = Gatling$.MODULE$.fromArgs(
                new String[] {"--simulation", LoadSimulation.class.getName(), "--results-folder", results.toString()});
        if (status != 0) {
            throw new IllegalStateException("Gatling ended with status " + status);
        }
    }

    /** Gatling reports each run to its makers and asks for newer versions of itself: not from here. */
    private static void stayAtHome(Path results) {
        System.setProperty("gatling.data.enableAnalytics", "false");
        System.setProperty("https.proxyHost", "127.0.0.1");
        System.setProperty("https.proxyPort", "1");
        System.setProperty("java.util.prefs.userRoot", results.toString());
    }

    private static Report report(Traffic traffic, Database database) throws SQLException {
        Map<Endpoint, Report.Row> rows = new EnumMap<>(Endpoint.class);
        for (Endpoint endpoint : Endpoint.values()) {
            rows.put(
                    endpoint,
                    new Report.Row(
                            traffic.parameters().operations(),
                            database.counter(endpoint, Phase.FAULTS),
                            traffic.parameters().measuredOperations(),
                            database.counter(endpoint, Phase.NO_FAULTS),
                            traffic.outcome(Phase.FAULTS, endpoint),
                            traffic.outcome(Phase.NO_FAULTS, endpoint)));
        }
        return new Report(traffic.parameters(), rows);
    }

    private static void write(Report report, Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, ReportJson.of(report));
    }
}
