package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Medians;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What a run found.
 *
 * @param environment what it ran on
 * @param threads how many threads and connections there were
 * @param counters how many rows they incremented
 * @param turns all turns, as they came
 * @param summaries one for each contender
 * @param ratios what is compared with what we want
 */
record GuardReport(
        String environment, int threads, int counters, List<Turn> turns, List<Summary> summaries, List<Ratio> ratios) {

    /**
     * A contender's turns.
     *
     * @param contender who
     * @param perSecond the median of the increments in a second
     * @param slowest of the worst turn
     * @param fastest of the best turn
     * @param p50Micros the median of the turns' medians, in microseconds
     * @param p99Micros the median of the turns' 99th percentiles
     * @param clientMicros the median of the client's processor time for each increment
     * @param serverMicros the median of the server's
     */
    record Summary(
            GuardContender contender,
            double perSecond,
            double slowest,
            double fastest,
            double p50Micros,
            double p99Micros,
            double clientMicros,
            double serverMicros) {

        static Summary of(GuardContender contender, List<Turn> turns) {
            List<Double> perSecond = column(contender, turns, Turn::perSecond);
            return new Summary(
                    contender,
                    Medians.of(perSecond),
                    perSecond.stream().min(Double::compare).orElseThrow(),
                    perSecond.stream().max(Double::compare).orElseThrow(),
                    Medians.of(column(contender, turns, Turn::p50Micros)),
                    Medians.of(column(contender, turns, Turn::p99Micros)),
                    Medians.of(column(contender, turns, Turn::clientMicros)),
                    Medians.of(column(contender, turns, Turn::serverMicros)));
        }
    }

    /**
     * One contender over another.
     *
     * @param name who over whom
     * @param ofMedians the ratio of the medians of their throughput
     * @param lowest the lowest ratio of a single round
     * @param highest the highest ratio of a single round
     * @param target what we want the ratio of the medians to be
     * @param processor the ratio of the medians of their processor time for each increment
     */
    record Ratio(String name, double ofMedians, double lowest, double highest, String target, double processor) {

        static Ratio of(GuardContender one, GuardContender other, String target, List<Turn> turns) {
            List<Double> ofOne = column(one, turns, Turn::perSecond);
            List<Double> ofOther = column(other, turns, Turn::perSecond);
            List<Double> ratios = new ArrayList<>();
            for (int round = 0; round < ofOne.size(); round++) {
                ratios.add(ofOne.get(round) / ofOther.get(round));
            }
            return new Ratio(
                    one + " over " + other,
                    Medians.of(ofOne) / Medians.of(ofOther),
                    ratios.stream().min(Double::compare).orElseThrow(),
                    ratios.stream().max(Double::compare).orElseThrow(),
                    target,
                    Medians.of(column(one, turns, Turn::processorMicros))
                            / Medians.of(column(other, turns, Turn::processorMicros)));
        }
    }

    static GuardReport of(String environment, int threads, int counters, List<Turn> turns) {
        List<Summary> summaries = new ArrayList<>();
        for (GuardContender contender : GuardContender.values()) {
            summaries.add(Summary.of(contender, turns));
        }
        return new GuardReport(
                environment,
                threads,
                counters,
                turns,
                summaries,
                List.of(
                        Ratio.of(GuardContender.FILTER, GuardContender.PLAIN, "≥ 0.85", turns),
                        Ratio.of(GuardContender.LEDGER, GuardContender.KEY_INSERT, "≥ 1.0", turns),
                        Ratio.of(GuardContender.LEDGER_SQL_ONLY, GuardContender.KEY_INSERT, "≥ 1.0", turns),
                        Ratio.of(GuardContender.FILTER, GuardContender.KEY_INSERT, "> 1", turns),
                        Ratio.of(
                                GuardContender.COUNTERS, GuardContender.UPDATE, "≥ 10 on one row, 1.6 on 1,000", turns),
                        Ratio.of(
                                GuardContender.COUNTERS_LEDGER,
                                GuardContender.UPDATE,
                                "≥ 6 on one row, 1.0 on 1,000",
                                turns)));
    }

    private static List<Double> column(GuardContender contender, List<Turn> turns, ToDoubleFunction<Turn> value) {
        return turns.stream()
                .filter(turn -> turn.contender() == contender)
                .map(value::applyAsDouble)
                .toList();
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format(Locale.ROOT, "%n  fbf guard benchmark, %s%n", environment));
        table.append(String.format(
                Locale.ROOT,
                "  %d threads and connections, %d rows, %d rounds; every counter is exact; µs: processor time for one%n%n",
                threads,
                counters,
                turns.size() / GuardContender.values().length));
        table.append(String.format(
                Locale.ROOT,
                "  %-15s %11s   %-19s %8s %8s %9s %9s%n",
                "",
                "median/s",
                "slowest … fastest",
                "p50 ms",
                "p99 ms",
                "client µs",
                "server µs"));
        for (Summary summary : summaries) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-15s %11.0f   %8.0f … %-8.0f %8.2f %8.2f %9.0f %9.0f   %s%n",
                    summary.contender(),
                    summary.perSecond(),
                    summary.slowest(),
                    summary.fastest(),
                    summary.p50Micros() / 1e3,
                    summary.p99Micros() / 1e3,
                    summary.clientMicros(),
                    summary.serverMicros(),
                    summary.contender().description()));
        }
        table.append(System.lineSeparator());
        for (Ratio ratio : ratios) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-32s %6.2f   (%s; of single rounds %.2f … %.2f)   processor time %.2f%n",
                    ratio.name(),
                    ratio.ofMedians(),
                    ratio.target(),
                    ratio.lowest(),
                    ratio.highest(),
                    ratio.processor()));
        }
        return table.toString();
    }
}
