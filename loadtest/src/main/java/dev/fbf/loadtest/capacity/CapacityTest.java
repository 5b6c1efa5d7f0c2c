package dev.fbf.loadtest.capacity;

import dev.fbf.loadtest.Database;
import dev.fbf.loadtest.GatlingRun;
import dev.fbf.loadtest.Operations;
import dev.fbf.loadtest.ReportJson;
import dev.fbf.loadtest.RunFiles;
import dev.fbf.loadtest.SampleApp;
import dev.fbf.loadtest.Settings;
import io.gatling.javaapi.core.PopulationBuilder;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** How many views of one page are counted in a second, by each {@link Contender}. */
public final class CapacityTest {

    private final CapacityParameters parameters;
    private final SplittableRandom chance;

    /** In the order in which they are taken. */
    private final List<Turn> order = new ArrayList<>();

    private final Map<Contender, List<Turn>> turns = new LinkedHashMap<>();

    private CapacityTest(CapacityParameters parameters) {
        this.parameters = parameters;
        this.chance = new SplittableRandom(parameters.seed());
    }

    /** Ends the JVM with 0 if the guarded counters are exact, whatever the speed, else with 1. */
    public static void main(String[] args) throws Exception {
        CapacityParameters parameters =
                CapacityParameters.from(new Settings(System::getProperty, "loadtest.capacity."));
        RunFiles files = RunFiles.ofSystemProperties();
        CapacityReport report = new CapacityTest(parameters).run(files);
        ReportJson.write(report, files.result("loadtest-capacity.json"));
        System.out.print(CapacityTable.of(report));
        System.out.flush();
        System.exit(report.complaints().isEmpty() ? 0 : 1);
    }

    private CapacityReport run(RunFiles files) throws IOException, InterruptedException, SQLException {
        try (Database database = Database.start(files.directory());
                SampleApp filter = start(files, database, "fbf.mode=filter");
                SampleApp ledger = start(files, database, "fbf.mode=ledger")) {
            Map<String, SampleApp> apps = Map.of("filter", filter, "ledger", ledger);
            for (int round = 0; round < parameters.rounds(); round++) {
                // each round begins with another contender
                List<Contender> contenders = new ArrayList<>(Contender.ALL);
                Collections.rotate(contenders, -round);
                contenders.forEach(contender -> add(contender, apps, database));
            }
            GatlingRun.of(() -> List.of(load()), files.gatling());
            database.awaitIdle();
            return report(database);
        }
    }

    /** Beside the other one, on pages of its own. */
    private static SampleApp start(RunFiles files, Database database, String mode)
            throws IOException, InterruptedException {
        return SampleApp.start(files.app(), files.directory(), database.url(), mode, "fbf.nodes=unchecked");
    }

    private void add(Contender contender, Map<String, SampleApp> apps, Database database) {
        Operations operations = new Operations(
                contender.page(),
                List.of(contender.endpoint()),
                parameters.plan(),
                parameters.patience(),
                chance.split());
        SampleApp app = Objects.requireNonNull(apps.get(contender.mode()), "mode");
        Turn turn = new Turn(
                (order.size() + 1) + ": " + contender,
                operations,
                app,
                database,
                parameters.leadIn(),
                parameters.measured());
        order.add(turn);
        turns.computeIfAbsent(contender, none -> new ArrayList<>()).add(turn);
    }

    /** One turn after the other. */
    private PopulationBuilder load() {
        PopulationBuilder load = order.get(order.size() - 1).of(parameters.users());
        for (int i = order.size() - 2; i >= 0; i--) {
            load = order.get(i).of(parameters.users()).andThen(load);
        }
        return load;
    }

    private CapacityReport report(Database database) throws SQLException {
        List<CapacityReport.Row> rows = new ArrayList<>();
        for (Contender contender : Contender.ALL) {
            List<Turn> own = Objects.requireNonNull(turns.get(contender), "contender");
            rows.add(CapacityReport.Row.of(contender, own, database.counter(contender.endpoint(), contender.page())));
        }
        return new CapacityReport(parameters, rows);
    }
}
