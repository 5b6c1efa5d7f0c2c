package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.Delivery.Plan;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Views of one page that are counted per second, by each {@link Contender}. Fails if a guarded counter is not exact. */
public final class CapacityTest implements Run {

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final double RATIO = 2;

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

    /**
     * How a contender did.
     *
     * @param medians of its rounds, by the names of {@link Turn#figures}
     * @param lowest requests per second of its worst round
     * @param highest requests per second of its best round
     * @param operations distinct operations, of all rounds together
     * @param failure the first operation that was never acknowledged; empty if there is none
     */
    record Row(
            Contender contender,
            Map<String, Double> medians,
            double lowest,
            double highest,
            long operations,
            long counter,
            double errorPercent,
            String failure) {

        static Row of(
                Contender contender, List<Map<String, Double>> rounds, long operations, long counter, String failure) {
            Map<String, Double> medians = new TreeMap<>();
            rounds.get(0).keySet().forEach(name -> medians.put(name, Rounds.median(column(rounds, name))));
            List<Double> rates = column(rounds, "requestsPerSecond");
            double errorPercent = 100.0 * (counter - operations) / operations;
            return new Row(
                    contender,
                    medians,
                    Collections.min(rates),
                    Collections.max(rates),
                    operations,
                    counter,
                    errorPercent,
                    failure);
        }

        private static List<Double> column(List<Map<String, Double>> rounds, String name) {
            return rounds.stream()
                    .map(round -> Objects.requireNonNull(round.get(name), name))
                    .toList();
        }

        double median(String name) {
            return Objects.requireNonNull(medians.get(name), name);
        }

        Stream<String> complaints() {
            boolean isExact = contender.endpoint().isExact();
            boolean wrong = isExact ? counter != operations : counter < operations;
            String counted = format(
                    "%s: the counter is %,d after %,d distinct operations: %s",
                    contender, counter, operations, isExact ? "not exactly once" : "this load test miscounts");
            return Stream.concat(
                    wrong ? Stream.of(counted) : Stream.of(),
                    failure.isEmpty() ? Stream.of() : Stream.of(contender + ": " + failure));
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        SplittableRandom chance = new SplittableRandom(settings.integer("seed"));
        int users = settings.atLeastOne("users");
        // patient clients, which resend a refused request
        Plan plan = new Plan(settings.share("retries"), 2, 0, LONGEST, LONGEST);
        try (Database database = Database.start(settings)) {
            List<Turn> turns = new ArrayList<>();
            // an application that has ended has completed all requests, also those whose clients have left
            try (SampleApp filter = start(settings, database, "filter");
                    SampleApp ledger = start(settings, database, "ledger")) {
                for (Contender contender : Rounds.of(settings.atLeastOne("rounds"), Contender.ALL)) {
                    SampleApp app = contender.mode().equals("filter") ? filter : ledger;
                    turns.add(new Turn(turns.size() + 1, contender, plan, chance.split(), app, database, settings));
                }
                GatlingRun.of(
                        () -> List.of(GatlingRun.oneAfterTheOther(
                                turns.stream().map(turn -> turn.of(users)).toList())),
                        settings);
            }
            List<Row> rows = new ArrayList<>();
            for (Contender contender : Contender.ALL) {
                List<Turn> own = turns.stream()
                        .filter(turn -> turn.contender().equals(contender))
                        .toList();
                rows.add(Row.of(
                        contender,
                        own.stream().map(Turn::figures).toList(),
                        own.stream().mapToLong(Turn::operations).sum(),
                        database.counter(contender.endpoint(), contender.page()),
                        own.stream().flatMap(Turn::failures).findFirst().orElse("")));
            }
            return findings(rows, database.servers());
        }
    }

    /** Beside the other one, on pages and with tables of its own. */
    private static SampleApp start(Settings settings, Database database, String mode)
            throws IOException, InterruptedException {
        return SampleApp.start(settings, database, "fbf.mode=" + mode, "fbf.schema.name=" + mode);
    }

    static Findings findings(List<Row> rows, Map<String, String> servers) {
        double unguarded = requestsPerSecond(rows, Contender.UNGUARDED);
        double ratio = requestsPerSecond(rows, Contender.GROUPED) / unguarded;
        Table<Row> table = Table.<Row>of(rows)
                .text("everybody views one page", Row::contender)
                .number("req/s", "%,.0f", row -> row.median("requestsPerSecond"))
                .number("lowest – highest", "%s", row -> format("%,.0f – %,.0f", row.lowest, row.highest))
                .number("ratio", "%.2f", row -> row.median("requestsPerSecond") / unguarded)
                .number("p50 ms", "%.2f", row -> row.median("p50Millis"))
                .number("p99 ms", "%.2f", row -> row.median("p99Millis"))
                .number("p99.9 ms", "%.2f", row -> row.median("p999Millis"))
                .number("error %", "%+.3f", Row::errorPercent)
                .number("µs per request: Gatling", "%.0f", row -> row.median("gatling"))
                .number("app", "%.0f", row -> row.median("app"))
                .number("database", "%.0f", row -> row.median("postgres"));
        return new Findings(
                Map.of("rows", rows),
                "\n" + table,
                List.of(Target.atLeast("requests a second: SqlCounters over unguarded", RATIO, ratio)),
                rows.stream().flatMap(Row::complaints).toList(),
                servers);
    }

    private static double requestsPerSecond(List<Row> rows, Contender contender) {
        return rows.stream()
                .filter(row -> row.contender.equals(contender))
                .findFirst()
                .orElseThrow()
                .median("requestsPerSecond");
    }
}
