package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.Bound;
import dev.fbf.loadtest.harness.Medians;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run found.
 *
 * @param turns all turns, as they came
 * @param results one for each workload
 */
record GuardReport(List<Turn> turns, List<Result> results) {

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

        static Ratio of(Comparison comparison, List<Turn> turns) {
            List<Double> ofOne = column(comparison.one(), turns, comparison.of());
            List<Double> ofOther = column(comparison.other(), turns, comparison.of());
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < ofOne.size(); round++) {
                ratios.add(ofOne.get(round) / ofOther.get(round));
            }
            return new Ratio(
                    comparison.name(),
                    Medians.of(ofOne) / Medians.of(ofOther),
                    Collections.min(ratios),
                    Collections.max(ratios),
                    comparison.wanted(),
                    median(comparison.one(), turns, Turn::processorMicros)
                            / median(comparison.other(), turns, Turn::processorMicros));
        }
    }

    /**
     * Sums up.
     *
     * @param accuracies of each contender that took part, after each workload
     */
    static GuardReport of(List<Turn> turns, Map<Workload, Map<GuardContender, Accuracy>> accuracies) {
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
        return new GuardReport(turns, results);
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

    /** The ratios that something is wanted of, and the error of each guarded contender that took part: the largest. */
    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Result result : results) {
            for (Ratio ratio : result.ratios()) {
                if (ratio.wanted() != null) {
                    targets.add(Target.of(result.workload() + ": " + ratio.name(), ratio.wanted(), ratio.ofMedians()));
                }
            }
        }
        for (GuardContender contender : GuardContender.values()) {
            List<Accuracy> its = accuracies(contender);
            if (contender.isGuarded() && !its.isEmpty()) {
                int wrong = its.stream().mapToInt(Accuracy::wrongCounters).max().orElseThrow();
                targets.add(Target.atMost("wrong counters of " + contender, 0, wrong));
            }
        }
        return targets;
    }

    private List<Accuracy> accuracies(GuardContender contender) {
        return results.stream()
                .flatMap(result -> result.summaries().stream())
                .filter(summary -> summary.contender() == contender)
                .map(Summary::accuracy)
                .toList();
    }

    /** Those who must be exact, and at any time were not. */
    List<String> failures() {
        return Stream.of(GuardContender.values())
                .filter(contender -> contender.isGuarded()
                        && accuracies(contender).stream().anyMatch(accuracy -> !accuracy.isExact()))
                .map(contender -> contender + ": its counters are not what its clients were told")
                .toList();
    }
}
