package dev.fbf.loadtest;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.CapacityTest.Contender;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * How many requests each contender answered.
 *
 * @param ratio requests a second with {@code SqlCounters} in filter mode / requests a second without the guard
 * @param complaints why the run failed; empty if it did not
 */
record CapacityReport(List<Row> rows, double ratio, List<String> complaints) {

    private static final double TARGET = 2;

    /** From here on a machine counts as busy: nobody gets the whole of it. */
    private static final double BUSY = 0.9;

    List<Target> targets() {
        return List.of(Target.atLeast("requests a second: SqlCounters over unguarded", TARGET, ratio));
    }

    /**
     * One turn.
     *
     * @param microsPerRequest processor time for each request
     * @param coresUsed processor time of all / time
     * @param machineLoad the part of all processors that was busy, whoever with: 0 to 1
     * @param waits how many of PostgreSQL's backends waited for what, on average
     */
    record Round(
            double requestsPerSecond,
            double p50Millis,
            double p99Millis,
            double p999Millis,
            Micros microsPerRequest,
            double coresUsed,
            double machineLoad,
            Map<String, Double> waits) {}

    /** Processor time of this process, which loads the app, of the app, and of PostgreSQL with all its processes. */
    record Micros(double gatling, double app, double postgres) {

        static Micros usedBy(ProcessHandle app, ProcessHandle postgres) {
            double ofPostgres = Stream.concat(Stream.of(postgres), postgres.children())
                    .mapToDouble(Micros::of)
                    .sum();
            return new Micros(of(ProcessHandle.current()), of(app), ofPostgres);
        }

        /** None, for a process that is gone. */
        private static double of(ProcessHandle process) {
            return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e3;
        }

        Micros minus(Micros earlier) {
            return new Micros(gatling - earlier.gatling, app - earlier.app, postgres - earlier.postgres);
        }

        /** Those of each of so many requests. */
        Micros of(long requests) {
            double count = Math.max(1, requests);
            return new Micros(gatling / count, app / count, postgres / count);
        }

        double sum() {
            return gatling + app + postgres;
        }
    }

    /**
     * A contender.
     *
     * @param requestsPerSecond the median of its rounds
     * @param operations distinct operations, of all rounds together
     * @param failure what is known about the first operation that was never acknowledged, if there is one
     */
    record Row(
            Contender contender,
            double requestsPerSecond,
            double lowest,
            double highest,
            double p50Millis,
            double p99Millis,
            double p999Millis,
            Micros microsPerRequest,
            double coresUsed,
            double machineLoad,
            Map<String, Double> waits,
            long operations,
            long counter,
            double errorPercent,
            String failure,
            List<Round> rounds) {

        static Row of(Contender contender, List<Turn> turns, long counter) {
            List<Round> rounds = turns.stream().map(Turn::round).toList();
            long operations = turns.stream().mapToLong(Turn::operations).sum();
            String failure = turns.stream()
                    .map(Turn::failures)
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .orElse("");
            return of(contender, rounds, operations, counter, failure);
        }

        static Row of(Contender contender, List<Round> rounds, long operations, long counter, String failure) {
            Map<String, Double> waits = new TreeMap<>();
            rounds.forEach(round -> round.waits()
                    .forEach((event, backends) -> waits.merge(event, backends / rounds.size(), Double::sum)));
            return new Row(
                    contender,
                    median(rounds, Round::requestsPerSecond),
                    rounds.stream().mapToDouble(Round::requestsPerSecond).min().orElseThrow(),
                    rounds.stream().mapToDouble(Round::requestsPerSecond).max().orElseThrow(),
                    median(rounds, Round::p50Millis),
                    median(rounds, Round::p99Millis),
                    median(rounds, Round::p999Millis),
                    new Micros(
                            median(rounds, round -> round.microsPerRequest().gatling()),
                            median(rounds, round -> round.microsPerRequest().app()),
                            median(rounds, round -> round.microsPerRequest().postgres())),
                    median(rounds, Round::coresUsed),
                    median(rounds, Round::machineLoad),
                    waits,
                    operations,
                    counter,
                    100.0 * (counter - operations) / operations,
                    failure,
                    rounds);
        }

        private static double median(List<Round> rounds, ToDoubleFunction<Round> value) {
            return Rounds.median(rounds.stream().map(value::applyAsDouble).toList());
        }

        /** What keeps it from more. */
        String limit() {
            if (machineLoad >= BUSY) {
                return "the processor";
            }
            return waiting("Lock") > 1 ? "the row's lock" : "the disk";
        }

        /** How many of PostgreSQL's backends waited for something of this kind, on average. */
        double waiting(String kind) {
            return waits.entrySet().stream()
                    .filter(wait -> wait.getKey().startsWith(kind))
                    .mapToDouble(Map.Entry::getValue)
                    .sum();
        }
    }

    CapacityReport(List<Row> rows) {
        this(
                rows,
                row(rows, Contender.GROUPED).requestsPerSecond()
                        / row(rows, Contender.UNGUARDED).requestsPerSecond(),
                complaints(rows));
    }

    private static Row row(List<Row> rows, Contender contender) {
        return rows.stream()
                .filter(row -> row.contender().equals(contender))
                .findFirst()
                .orElseThrow();
    }

    double ratio(Row row) {
        return row.requestsPerSecond() / row(rows, Contender.UNGUARDED).requestsPerSecond();
    }

    private static List<String> complaints(List<Row> rows) {
        List<String> complaints = new ArrayList<>();
        for (Row row : rows) {
            if (row.contender().endpoint().isExact() && row.counter() != row.operations()) {
                complaints.add("%s: the counter is %,d after %,d distinct operations: not exactly once"
                        .formatted(row.contender(), row.counter(), row.operations()));
            }
            if (!row.contender().endpoint().isExact() && row.counter() < row.operations()) {
                complaints.add("%s: the counter is %,d after %,d distinct operations: this load test miscounts"
                        .formatted(row.contender(), row.counter(), row.operations()));
            }
            if (!row.failure().isEmpty()) {
                complaints.add(row.contender() + ": " + row.failure());
            }
        }
        return List.copyOf(complaints);
    }

    String table() {
        return "\n"
                + Table.of(rows)
                        .text("everybody views one page", Row::contender)
                        .number("req/s", "%,.0f", Row::requestsPerSecond)
                        .number("lowest – highest", "%s", row -> format("%,.0f – %,.0f", row.lowest(), row.highest()))
                        .number("ratio", "%.2f", this::ratio)
                        .number("p50 ms", "%.2f", Row::p50Millis)
                        .number("p99 ms", "%.2f", Row::p99Millis)
                        .number("p99.9 ms", "%.2f", Row::p999Millis)
                        .number("error %", "%+.3f", Row::errorPercent)
                + "\n  processor time in µs a request, and what PostgreSQL's backends wait for, on average\n"
                + Table.of(rows)
                        .text("", Row::contender)
                        .number("Gatling", "%.0f", row -> row.microsPerRequest().gatling())
                        .number("app", "%.0f", row -> row.microsPerRequest().app())
                        .number(
                                "database",
                                "%.0f",
                                row -> row.microsPerRequest().postgres())
                        .number("cores used", "%.2f", Row::coresUsed)
                        .number("busy", "%.0f %%", row -> 100 * row.machineLoad())
                        .number("running", "%.2f", row -> row.waiting("running"))
                        .number("lock", "%.2f", row -> row.waiting("Lock"))
                        // WAL that others are writing is waited for as a lightweight lock
                        .number("disk", "%.2f", row -> row.waiting("IO") + row.waiting("LWLock/WALWrite"))
                        .text("limited by", Row::limit);
    }
}
