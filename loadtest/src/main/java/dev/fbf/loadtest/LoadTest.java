package dev.fbf.loadtest;

import java.io.IOException;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;

/** Starts a database and the sample app, loads the app, and reports what the database counted. */
public final class LoadTest {

    private LoadTest() {}

    /** Ends the JVM with 0 if the guarded counter is exact and every operation was acknowledged, else with 1. */
    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.from(new Settings(System::getProperty, "loadtest."));
        RunFiles files = RunFiles.ofSystemProperties();
        Report report = run(parameters, files);
        ReportJson.write(report, files.result("loadtest.json"));
        System.out.print(ReportTable.of(report));
        System.out.flush();
        System.exit(report.complaints().isEmpty() ? 0 : 1);
    }

    private static Report run(Parameters parameters, RunFiles files)
            throws IOException, InterruptedException, SQLException {
        try (Database database = Database.start(files.directory());
                SampleApp app = SampleApp.start(files.app(), files.directory(), database.url())) {
            Traffic traffic = new Traffic(parameters);
            GatlingRun.of(() -> Phases.of(traffic, app.address()), files.gatling());
            database.awaitIdle();
            return report(traffic, database);
        }
    }

    private static Report report(Traffic traffic, Database database) throws SQLException {
        Map<Endpoint, Report.Row> rows = new EnumMap<>(Endpoint.class);
        for (Endpoint endpoint : Endpoint.values()) {
            rows.put(
                    endpoint,
                    new Report.Row(
                            traffic.parameters().operations(Phase.FAULTS),
                            database.counter(endpoint, Phase.FAULTS.page()),
                            traffic.parameters().operations(Phase.NO_FAULTS),
                            database.counter(endpoint, Phase.NO_FAULTS.page()),
                            traffic.outcome(Phase.FAULTS, endpoint),
                            traffic.outcome(Phase.NO_FAULTS, endpoint)));
        }
        return new Report(traffic.parameters(), rows);
    }
}
