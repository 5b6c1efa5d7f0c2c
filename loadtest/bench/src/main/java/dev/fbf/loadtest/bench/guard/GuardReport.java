package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Medians;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a run found.
 *
 * @param environment what it ran on
 * @param threads how many threads and connections there were
 * @param rounds how many turns each contender had in each workload
 * @param turns all turns, as they came
 * @param results one for each workload
 */
record GuardReport(Environment environment, int threads, int rounds, List<Turn> turns, List<Result> results) {

    /**
     * How the contenders did at a workload.
     *
     * @param workload what was asked for
     * @param summaries one for each contender that took part
     * @param ratios what is compared
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
                    Medians.of(perSecond),
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
     * @param name who over whom, and in what
     * @param ofMedians the ratio of the medians
     * @param lowest the lowest ratio of a single round
     * @param highest the highest ratio of a single round
     * @param target what we want the ratio of the medians to be; null if we only want to know
     * @param met whether it is; null if we only want to know
     * @param processor the ratio of the medians of their processor time for each request
     */
    record Ratio(
            String name,
            double ofMedians,
            double lowest,
            double highest,
            @Nullable Target target,
            @Nullable Boolean met,
            double processor) {

        static Ratio of(Comparison comparison, List<Turn> turns) {
            List<Double> ofOne = column(comparison.one(), turns, comparison.of());
            List<Double> ofOther = column(comparison.other(), turns, comparison.of());
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < ofOne.size(); round++) {
                ratios.add(ofOne.get(round) / ofOther.get(round));
            }
            double ofMedians = Medians.of(ofOne) / Medians.of(ofOther);
            Target target = comparison.target();
            return new Ratio(
                    comparison.name(),
                    ofMedians,
                    Collections.min(ratios),
                    Collections.max(ratios),
                    target,
                    target == null ? null : target.admits(ofMedians),
                    median(comparison.one(), turns, Turn::processorMicros)
                            / median(comparison.other(), turns, Turn::processorMicros));
        }
    }

    /**
     * Sums up.
     *
     * @param accuracies of each contender that took part, after each workload
     */
    static GuardReport of(
            Environment environment,
            int threads,
            int rounds,
            List<Turn> turns,
            Map<Workload, Map<GuardContender, Accuracy>> accuracies) {
        List<Result> results = new ArrayList<>();
        accuracies.forEach((workload, byContender) -> {
            List<Turn> its =
                    turns.stream().filter(turn -> turn.workload() == workload).toList();
            List<Summary> summaries = new ArrayList<>();
            byContender.forEach((contender, accuracy) -> summaries.add(Summary.of(contender, its, accuracy)));
            results.add(new Result(
                    workload,
                    summaries,
                    Comparison.of(workload).stream()
                            .map(comparison -> Ratio.of(comparison, its))
                            .toList()));
        });
        return new GuardReport(environment, threads, rounds, turns, results);
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

    /** Those who must be exact, and at any time were not. */
    Set<GuardContender> wrong() {
        return results.stream()
                .flatMap(result -> result.summaries().stream())
                .filter(summary ->
                        summary.contender().isGuarded() && !summary.accuracy().isExact())
                .map(Summary::contender)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(GuardContender.class)));
    }
}
