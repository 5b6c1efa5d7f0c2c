package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Medians;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What a run found.
 *
 * @param environment what it ran on
 * @param threads how many threads and connections there were
 * @param turns all turns, as they came
 * @param results one for each workload
 */
record GuardReport(String environment, int threads, List<Turn> turns, List<Result> results) {

    /**
     * How the contenders did at a workload.
     *
     * @param workload what was asked for
     * @param summaries one for each contender
     * @param ratios what is compared with what we want
     */
    record Result(Workload workload, List<Summary> summaries, List<Ratio> ratios) {}

    /**
     * A contender's turns at a workload: medians, but for two.
     *
     * @param contender who
     * @param perSecond requests answered in a second
     * @param slowest of the worst turn
     * @param fastest of the best turn
     * @param p50Micros of the turns' medians, in microseconds
     * @param p99Micros of the turns' 99th percentiles
     * @param p999Micros of the turns' 99.9th percentiles
     * @param clientMicros the client's processor time for each request
     * @param serverMicros the server's
     * @param transactions that wrote something, for each request
     * @param walBytes of the write-ahead log for each request
     * @param tableBytes by which the tables grew for each request
     * @param error by how much the counters are wrong, as a share
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
            double error) {

        static Summary of(GuardContender contender, List<Turn> turns, double error) {
            List<Double> perSecond = column(contender, turns, Turn::perSecond);
            return new Summary(
                    contender,
                    Medians.of(perSecond),
                    perSecond.stream().min(Double::compare).orElseThrow(),
                    perSecond.stream().max(Double::compare).orElseThrow(),
                    median(contender, turns, Turn::p50Micros),
                    median(contender, turns, Turn::p99Micros),
                    median(contender, turns, Turn::p999Micros),
                    median(contender, turns, Turn::clientMicros),
                    median(contender, turns, Turn::serverMicros),
                    median(contender, turns, Turn::transactions),
                    median(contender, turns, Turn::walBytes),
                    median(contender, turns, Turn::tableBytes),
                    error);
        }
    }

    /**
     * One contender over another.
     *
     * @param name who over whom, and in what
     * @param ofMedians the ratio of the medians
     * @param lowest the lowest ratio of a single round
     * @param highest the highest ratio of a single round
     * @param target what we want the ratio of the medians to be; empty if we only want to know
     * @param processor the ratio of the medians of their processor time for each request
     */
    record Ratio(String name, double ofMedians, double lowest, double highest, String target, double processor) {

        static Ratio of(Comparison comparison, List<Turn> turns) {
            List<Double> ofOne = column(comparison.one, turns, comparison.figure);
            List<Double> ofOther = column(comparison.other, turns, comparison.figure);
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < ofOne.size(); round++) {
                ratios.add(ofOne.get(round) / ofOther.get(round));
            }
            return new Ratio(
                    comparison.one + " over " + comparison.other + ", " + comparison.what,
                    Medians.of(ofOne) / Medians.of(ofOther),
                    ratios.stream().min(Double::compare).orElseThrow(),
                    ratios.stream().max(Double::compare).orElseThrow(),
                    comparison.target,
                    median(comparison.one, turns, Turn::processorMicros)
                            / median(comparison.other, turns, Turn::processorMicros));
        }
    }

    private record Comparison(
            GuardContender one, GuardContender other, String what, ToDoubleFunction<Turn> figure, String target) {

        static Comparison throughput(GuardContender one, GuardContender other, String target) {
            return new Comparison(one, other, "requests/s", Turn::perSecond, target);
        }
    }

    private static List<Comparison> comparisons(Workload workload) {
        return switch (workload) {
            case HOT ->
                List.of(
                        Comparison.throughput(GuardContender.COUNTERS, GuardContender.UPDATE, "≥ 10"),
                        Comparison.throughput(GuardContender.COUNTERS_LEDGER, GuardContender.UPDATE, "≥ 6"),
                        new Comparison(
                                GuardContender.COUNTERS, GuardContender.UPDATE, "p50", Turn::p50Micros, "≤ 0.3"));
            case ROWS ->
                List.of(
                        Comparison.throughput(GuardContender.FILTER, GuardContender.PLAIN, "≥ 0.85"),
                        Comparison.throughput(GuardContender.LEDGER, GuardContender.KEY_INSERT, "≥ 1.0"),
                        Comparison.throughput(GuardContender.LEDGER_SQL_ONLY, GuardContender.KEY_INSERT, "≥ 1.0"),
                        Comparison.throughput(GuardContender.COUNTERS, GuardContender.UPDATE, "≥ 1.6"),
                        Comparison.throughput(GuardContender.COUNTERS_LEDGER, GuardContender.UPDATE, "≥ 1.0"));
            case HOT_STORM, ROWS_STORM, ZIPF_STORM ->
                List.of(
                        Comparison.throughput(GuardContender.FILTER, GuardContender.KEY_INSERT, "≥ 5"),
                        Comparison.throughput(GuardContender.COUNTERS, GuardContender.KEY_INSERT, ""));
            case HOT_RETRIES, ROWS_RETRIES, ZIPF, ZIPF_RETRIES ->
                List.of(
                        Comparison.throughput(GuardContender.COUNTERS, GuardContender.UPDATE, ""),
                        Comparison.throughput(GuardContender.COUNTERS_LEDGER, GuardContender.UPDATE, ""));
        };
    }

    /**
     * Sums up.
     *
     * @param errors by how much the counters of each contender were wrong after each workload
     */
    static GuardReport of(
            String environment, int threads, List<Turn> turns, Map<Workload, Map<GuardContender, Double>> errors) {
        List<Result> results = new ArrayList<>();
        errors.forEach((workload, byContender) -> {
            List<Turn> its =
                    turns.stream().filter(turn -> turn.workload() == workload).toList();
            List<Summary> summaries = new ArrayList<>();
            byContender.forEach((contender, error) -> summaries.add(Summary.of(contender, its, error)));
            results.add(new Result(
                    workload,
                    summaries,
                    comparisons(workload).stream()
                            .map(comparison -> Ratio.of(comparison, its))
                            .toList()));
        });
        return new GuardReport(environment, threads, turns, results);
    }

    private static List<Double> column(GuardContender contender, List<Turn> turns, ToDoubleFunction<Turn> value) {
        return turns.stream()
                .filter(turn -> turn.contender() == contender)
                .map(value::applyAsDouble)
                .toList();
    }

    private static double median(GuardContender contender, List<Turn> turns, ToDoubleFunction<Turn> value) {
        return Medians.of(column(contender, turns, value));
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format(Locale.ROOT, "%n  fbf guard benchmark, %s%n", environment));
        table.append(String.format(
                Locale.ROOT,
                "  %d threads and connections, %d rounds; for each request: processor time in µs, transactions that wrote,%n"
                        + "  bytes of the write-ahead log, bytes by which the tables grew; error of the counters so far%n",
                threads,
                turns.size() / GuardContender.values().length / results.size()));
        results.forEach(result -> append(table, result));
        table.append(System.lineSeparator());
        for (GuardContender contender : GuardContender.values()) {
            table.append(String.format("  %-15s %s%n", contender, contender.description()));
        }
        return table.toString();
    }

    private static void append(StringBuilder table, Result result) {
        table.append(String.format(
                Locale.ROOT,
                "%n  %-15s %9s   %-17s %7s %7s %8s %7s %7s %6s %6s %6s %7s%n",
                result.workload,
                "median/s",
                "slowest … fastest",
                "p50 ms",
                "p99 ms",
                "p99.9 ms",
                "client",
                "server",
                "tx",
                "WAL",
                "table",
                "error"));
        for (Summary summary : result.summaries) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-15s %9.0f   %7.0f … %-7.0f %7.2f %7.2f %8.2f %7.0f %7.0f %6.2f %6.0f %6.0f %+6.1f%%%n",
                    summary.contender,
                    summary.perSecond,
                    summary.slowest,
                    summary.fastest,
                    summary.p50Micros / 1e3,
                    summary.p99Micros / 1e3,
                    summary.p999Micros / 1e3,
                    summary.clientMicros,
                    summary.serverMicros,
                    summary.transactions,
                    summary.walBytes,
                    summary.tableBytes,
                    summary.error * 100));
        }
        for (Ratio ratio : result.ratios) {
            table.append(String.format(
                    Locale.ROOT,
                    "    %-40s %6.2f   (%sof single rounds %.2f … %.2f)   processor time %.2f%n",
                    ratio.name,
                    ratio.ofMedians,
                    ratio.target.isEmpty() ? "" : ratio.target + "; ",
                    ratio.lowest,
                    ratio.highest,
                    ratio.processor));
        }
    }
}
