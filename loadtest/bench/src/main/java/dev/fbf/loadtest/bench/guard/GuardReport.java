package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.guard.Crowd.Accuracy;
import dev.fbf.loadtest.bench.guard.Crowd.Turn;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.Target.Bound;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a run found. */
record GuardReport(List<Turn> turns, List<Result> results) {

    private static final double MOST_LOG_BYTES = 300;
    private static final double MOST_TABLE_BYTES = 50;

    /** How the contenders did at a workload. */
    record Result(Workload workload, List<Summary> summaries, List<Ratio> ratios) {}

    /**
     * A contender's turns at a workload: the medians of what a {@link Turn} has.
     *
     * @param slowest requests a second of the worst turn
     * @param fastest of the best turn
     * @param accuracy of the counters, from the first workload to the end of this one
     */
    record Summary(
            GuardContender contender,
            double perSecond,
            double slowest,
            double fastest,
            double p50Micros,
            double p99Micros,
            double p999Micros,
            double clientMicros,
            double serverMicros,
            double transactions,
            double walBytes,
            double tableBytes,
            Accuracy accuracy) {

        static Summary of(GuardContender contender, List<Turn> turns, Accuracy accuracy) {
            List<Double> perSecond = column(contender, turns, Turn::perSecond);
            return new Summary(
                    contender,
                    Rounds.median(perSecond),
                    Collections.min(perSecond),
                    Collections.max(perSecond),
                    median(contender, turns, Turn::p50Micros),
                    median(contender, turns, Turn::p99Micros),
                    median(contender, turns, Turn::p999Micros),
                    median(contender, turns, Turn::clientMicros),
                    median(contender, turns, Turn::serverMicros),
                    median(contender, turns, Turn::transactions),
                    median(contender, turns, Turn::walBytes),
                    median(contender, turns, Turn::tableBytes),
                    accuracy);
        }
    }

    /**
     * One contender over another.
     *
     * @param wanted what we want the ratio of the medians to be; null if we only want to know
     * @param processor the ratio of the medians of their processor time for each request
     */
    record Ratio(
            String name,
            double ofMedians,
            double lowest,
            double highest,
            @Nullable Bound wanted,
            double processor) {

        static Ratio of(
                GuardContender one,
                GuardContender other,
                String figure,
                ToDoubleFunction<Turn> value,
                @Nullable Bound wanted,
                List<Turn> turns) {
            List<Double> ofOne = column(one, turns, value);
            List<Double> ofOther = column(other, turns, value);
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < ofOne.size(); round++) {
                ratios.add(ofOne.get(round) / ofOther.get(round));
            }
            ToDoubleFunction<Turn> processor = turn -> turn.clientMicros() + turn.serverMicros();
            return new Ratio(
                    one + " over " + other + ", " + figure,
                    Rounds.median(ofOne) / Rounds.median(ofOther),
                    Collections.min(ratios),
                    Collections.max(ratios),
                    wanted,
                    median(one, turns, processor) / median(other, turns, processor));
        }
    }

    /**
     * Sums up.
     *
     * @param accuracies of each contender that took part, after each workload
     * @param syncMicros how long a sync of the disk took, which decides what is wanted of a hot row
     */
    static GuardReport of(
            List<Turn> turns, Map<Workload, Map<GuardContender, Accuracy>> accuracies, double syncMicros) {
        List<Result> results = new ArrayList<>();
        accuracies.forEach((workload, byContender) -> {
            List<Turn> its =
                    turns.stream().filter(turn -> turn.workload() == workload).toList();
            List<Summary> summaries = new ArrayList<>();
            byContender.forEach((contender, accuracy) -> summaries.add(Summary.of(contender, its, accuracy)));
            results.add(new Result(workload, summaries, new Comparisons(its, syncMicros).of(workload)));
        });
        return new GuardReport(turns, results);
    }

    private static List<Double> column(GuardContender contender, List<Turn> turns, ToDoubleFunction<Turn> value) {
        return turns.stream()
                .filter(turn -> turn.contender() == contender)
                .map(value::applyAsDouble)
                .toList();
    }

    private static double median(GuardContender contender, List<Turn> turns, ToDoubleFunction<Turn> value) {
        return Rounds.median(column(contender, turns, value));
    }

    /**
     * The ratios that something is wanted of, the bytes of a ledger group's increment, and the error of each guarded contender that
     * took part: the largest.
     */
    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Result result : results) {
            for (Ratio ratio : result.ratios()) {
                if (ratio.wanted() != null) {
                    targets.add(Target.of(result.workload() + ": " + ratio.name(), ratio.wanted(), ratio.ofMedians()));
                }
            }
        }
        summary(Workload.ROWS, GuardContender.COUNTERS_LEDGER).ifPresent(ledger -> {
            String name = "ROWS: COUNTERS_LEDGER, bytes of ";
            targets.add(Target.atMost(name + "the log for an increment", MOST_LOG_BYTES, ledger.walBytes()));
            targets.add(Target.atMost(name + "tables for an increment", MOST_TABLE_BYTES, ledger.tableBytes()));
        });
        for (GuardContender contender : GuardContender.values()) {
            mostWrong(contender)
                    .forEach(wrong -> targets.add(Target.atMost("wrong counters of " + contender, 0, wrong)));
        }
        return targets;
    }

    private Optional<Summary> summary(Workload workload, GuardContender contender) {
        return results.stream()
                .filter(result -> result.workload() == workload)
                .flatMap(result -> result.summaries().stream())
                .filter(summary -> summary.contender() == contender)
                .findFirst();
    }

    /** Those who must be exact, and at any time were not. */
    List<String> failures() {
        return Stream.of(GuardContender.values())
                .filter(contender -> mostWrong(contender).anyMatch(wrong -> wrong > 0))
                .map(contender -> contender + ": its counters are not what its clients were told")
                .toList();
    }

    /** How many counters of a guarded contender were wrong at the worst; none if it took no part. */
    private Stream<Integer> mostWrong(GuardContender contender) {
        return results.stream()
                .flatMap(result -> result.summaries().stream())
                .filter(summary -> summary.contender() == contender && contender.isGuarded())
                .map(summary -> summary.accuracy().wrongCounters())
                .max(Integer::compare)
                .stream();
    }

    /** For people: a table for each workload. */
    String table() {
        StringBuilder text = new StringBuilder("""

                  for each request: processor time in µs, transactions that wrote,
                  bytes of the write-ahead log, bytes by which the tables grew; error of the counters so far
                """);
        for (Result result : results) {
            Workload workload = result.workload();
            text.append(format(
                    "%n  %s: %s, %.0f %% retries%n", workload, workload.description(), workload.retries() * 100));
            text.append(Table.of(result.summaries())
                    .text("", Summary::contender)
                    .number("median/s", "%.0f", Summary::perSecond)
                    .text("slowest … fastest", row -> format("%.0f … %.0f", row.slowest(), row.fastest()))
                    .number("p50 ms", "%.2f", row -> row.p50Micros() / 1e3)
                    .number("p99 ms", "%.2f", row -> row.p99Micros() / 1e3)
                    .number("p99.9 ms", "%.2f", row -> row.p999Micros() / 1e3)
                    .number("client", "%.0f", Summary::clientMicros)
                    .number("server", "%.0f", Summary::serverMicros)
                    .number("tx", "%.2f", Summary::transactions)
                    .number("WAL", "%.0f", Summary::walBytes)
                    .number("table", "%.0f", Summary::tableBytes)
                    .number("error", "%+.1f%%", row -> row.accuracy().error() * 100));
            text.append(Table.of(result.ratios())
                    .text("", Ratio::name)
                    .number("of medians", "%.2f", Ratio::ofMedians)
                    .text("of single rounds", row -> format("%.2f … %.2f", row.lowest(), row.highest()))
                    .number("processor time", "%.2f", Ratio::processor));
        }
        return text + "\n"
                + Table.of(List.of(GuardContender.values()))
                        .text("", GuardContender::name)
                        .text("", GuardContender::description);
    }
}
