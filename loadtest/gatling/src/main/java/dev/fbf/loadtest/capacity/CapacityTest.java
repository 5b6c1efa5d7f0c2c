package dev.fbf.loadtest.capacity;

import dev.fbf.loadtest.Database;
import dev.fbf.loadtest.GatlingRun;
import dev.fbf.loadtest.Operations;
import dev.fbf.loadtest.SampleApp;
import dev.fbf.loadtest.harness.Findings;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
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

/** How many views of one page are counted in a second, by each {@link Contender}. Fails if a guarded counter is not exact. */
public final class CapacityTest implements Run {

    /** In the order in which they are taken. */
    private final List<Turn> order = new ArrayList<>();

    private final Map<Contender, List<Turn>> turns = new LinkedHashMap<>();

    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, SQLException {
        CapacityParameters parameters = CapacityParameters.from(settings);
        SplittableRandom chance = new SplittableRandom(parameters.seed());
        try (Database database = Database.start(settings.directory());
                SampleApp filter = start(settings, database, "fbf.mode=filter");
                SampleApp ledger = start(settings, database, "fbf.mode=ledger")) {
            Map<String, SampleApp> apps = Map.of("filter", filter, "ledger", ledger);
            for (int round = 0; round < parameters.rounds(); round++) {
                // each round begins with another contender
                List<Contender> contenders = new ArrayList<>(Contender.ALL);
                Collections.rotate(contenders, -round);
                contenders.forEach(contender -> add(contender, apps, database, parameters, chance));
            }
            GatlingRun.of(() -> List.of(load(parameters.users())), settings);
            database.awaitIdle();
            CapacityReport report = report(database, parameters);
            return new Findings(
                    report, CapacityTable.of(report), report.targets(), report.complaints(), database.servers());
        }
    }

    /** Beside the other one, on pages of its own. */
    private static SampleApp start(Settings settings, Database database, String mode)
            throws IOException, InterruptedException {
        return SampleApp.start(
                SampleApp.jar(settings), settings.directory(), database.server().url(), mode, "fbf.nodes=unchecked");
    }

    private void add(
            Contender contender,
            Map<String, SampleApp> apps,
            Database database,
            CapacityParameters parameters,
            SplittableRandom chance) {
        Operations operations = new Operations(
                contender.page(),
                List.of(contender.endpoint()),
                parameters.plan(),
                parameters.timeouts(),
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
    private PopulationBuilder load(int users) {
        PopulationBuilder load = order.get(order.size() - 1).of(users);
        for (int i = order.size() - 2; i >= 0; i--) {
            load = order.get(i).of(users).andThen(load);
        }
        return load;
    }

    private CapacityReport report(Database database, CapacityParameters parameters) throws SQLException {
        List<CapacityReport.Row> rows = new ArrayList<>();
        for (Contender contender : Contender.ALL) {
            List<Turn> own = Objects.requireNonNull(turns.get(contender), "contender");
            rows.add(CapacityReport.Row.of(contender, own, database.counter(contender.endpoint(), contender.page())));
        }
        return new CapacityReport(parameters, rows);
    }
}
