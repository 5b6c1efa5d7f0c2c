package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** How many views of one page are counted in a second, by each {@link Contender}. Fails if a guarded counter is not exact. */
public final class CapacityTest implements Run {

    private static final Duration LONGEST = Duration.ofMinutes(1);

    /**
     * A way to count views.
     *
     * @param mode of the app, as in {@code fbf.mode}
     */
    record Contender(String mode, Endpoint endpoint) {

        static final Contender UNGUARDED = new Contender("filter", Endpoint.UNGUARDED);
        static final Contender GROUPED = new Contender("filter", Endpoint.GROUPED);

        static final List<Contender> ALL = List.of(
                UNGUARDED,
                new Contender("filter", Endpoint.GUARDED),
                GROUPED,
                new Contender("ledger", Endpoint.GUARDED),
                new Contender("ledger", Endpoint.GROUPED));

        String page() {
            return "capacity-" + mode;
        }

        @Override
        public String toString() {
            return endpoint.isExact() ? endpoint + ", " + mode : endpoint.toString();
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        SplittableRandom chance = new SplittableRandom(settings.integer("seed"));
        int users = settings.atLeastOne("users");
        // nobody is in a hurry, and a refused request is sent again
        Plan plan = new Plan(settings.share("retries"), 2, 0, 0, 1_000, LONGEST, LONGEST);
        try (Database database = Database.start(settings);
                SampleApp filter = start(settings, database, "filter");
                SampleApp ledger = start(settings, database, "ledger")) {
            List<Turn> order = new ArrayList<>();
            Map<Contender, List<Turn>> turns = new LinkedHashMap<>();
            for (Contender contender : Rounds.of(settings.atLeastOne("rounds"), Contender.ALL)) {
                Turn turn = new Turn(
                        (order.size() + 1) + ": " + contender,
                        new Operations(contender.page(), List.of(contender.endpoint()), plan, chance.split()),
                        contender.mode().equals("filter") ? filter : ledger,
                        database,
                        settings.seconds("lead-in-seconds"),
                        settings.seconds("seconds"));
                order.add(turn);
                turns.computeIfAbsent(contender, none -> new ArrayList<>()).add(turn);
            }
            GatlingRun.of(
                    () -> List.of(GatlingRun.oneAfterTheOther(
                            order.stream().map(turn -> turn.of(users)).toList())),
                    settings);
            database.awaitIdle();
            CapacityReport report = report(database, turns);
            return new Findings(report, report.table(), report.targets(), report.complaints(), database.servers());
        }
    }

    /** Beside the other one, on pages and with tables of its own. */
    private static SampleApp start(Settings settings, Database database, String mode)
            throws IOException, InterruptedException {
        return SampleApp.start(settings, database, "fbf.mode=" + mode, "fbf.schema.name=" + mode);
    }

    private static CapacityReport report(Database database, Map<Contender, List<Turn>> turns) throws SQLException {
        List<CapacityReport.Row> rows = new ArrayList<>();
        for (Contender contender : Contender.ALL) {
            List<Turn> own = Objects.requireNonNull(turns.get(contender), "contender");
            rows.add(CapacityReport.Row.of(contender, own, database.counter(contender.endpoint(), contender.page())));
        }
        return new CapacityReport(rows);
    }
}
