package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Views of one page that are counted per second, by each {@link Contender}. Fails if a guarded counter is not exact. */
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
        // patient clients, which resend a refused request
        Plan plan = new Plan(settings.share("retries"), 2, 0, 0, 1_000, LONGEST, LONGEST);
        try (Database database = Database.start(settings);
                SampleApp filter = start(settings, database, "filter");
                SampleApp ledger = start(settings, database, "ledger")) {
            List<Turn> turns = new ArrayList<>();
            for (Contender contender : Rounds.of(settings.atLeastOne("rounds"), Contender.ALL)) {
                SampleApp app = contender.mode().equals("filter") ? filter : ledger;
                turns.add(new Turn(turns.size() + 1, contender, plan, chance.split(), app, database, settings));
            }
            GatlingRun.of(
                    () -> List.of(GatlingRun.oneAfterTheOther(
                            turns.stream().map(turn -> turn.of(users)).toList())),
                    settings);
            database.awaitIdle();
            List<CapacityReport.Row> rows = new ArrayList<>();
            for (Contender contender : Contender.ALL) {
                List<Turn> own = turns.stream()
                        .filter(turn -> turn.contender().equals(contender))
                        .toList();
                rows.add(CapacityReport.Row.of(
                        contender,
                        own.stream().map(Turn::figures).toList(),
                        own.stream().mapToLong(Turn::operations).sum(),
                        database.counter(contender.endpoint(), contender.page()),
                        own.stream().flatMap(Turn::failures).findFirst().orElse("")));
            }
            CapacityReport report = CapacityReport.of(rows);
            return new Findings(report, report.table(), report.targets(), report.complaints(), database.servers());
        }
    }

    /** Beside the other one, on pages and with tables of its own. */
    private static SampleApp start(Settings settings, Database database, String mode)
            throws IOException, InterruptedException {
        return SampleApp.start(settings, database, "fbf.mode=" + mode, "fbf.schema.name=" + mode);
    }
}
