package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Findings;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Starts a database and the sample app, loads the app, and reports what the database counted. Fails if the guarded counter is
 * not exact or an operation was not acknowledged.
 */
public final class LoadTest implements Run {

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        Parameters parameters = Parameters.from(settings);
        try (Database database = Database.start(settings.directory());
                SampleApp app = SampleApp.start(
                        SampleApp.jar(settings),
                        settings.directory(),
                        database.server().url())) {
            Traffic traffic = new Traffic(parameters);
            GatlingRun.of(() -> Phases.of(traffic, app.address()), settings);
            database.awaitIdle();
            Report report = report(traffic, database);
            return new Findings(report, ReportTable.of(report), List.of(), report.complaints(), database.servers());
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
