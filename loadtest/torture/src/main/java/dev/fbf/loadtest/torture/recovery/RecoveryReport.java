package dev.fbf.loadtest.torture.recovery;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a run found.
 *
 * @param environment what it ran on
 * @param contenders who was killed; the first runs without fbf
 * @param turns all turns, as they came
 * @param summaries one for each contender
 * @param costs one for each contender with fbf
 */
record RecoveryReport(
        String environment, List<Contender> contenders, List<Turn> turns, List<Summary> summaries, List<Cost> costs) {

    /** How much longer than without fbf it may take with it. */
    static final double TARGET_SECONDS = 0.5;

    /**
     * A contender's turns.
     *
     * @param contender its name
     * @param median of the seconds from the start of the process until it was ready
     * @param fastest of all turns
     * @param slowest of all turns
     * @param processorSeconds the median of the processor time until then
     * @param settled how many transactions were settled at the starts, of all turns
     * @param fewestSettled the fewest that were settled at a start
     * @param mostSettled the most
     */
    record Summary(
            String contender,
            double median,
            double fastest,
            double slowest,
            double processorSeconds,
            int settled,
            int fewestSettled,
            int mostSettled) {

        static Summary of(Contender contender, List<Turn> turns) {
            List<Turn> its = turnsOf(contender, turns);
            double[] sorted = its.stream().mapToDouble(Turn::seconds).sorted().toArray();
            double[] processor =
                    its.stream().mapToDouble(Turn::processorSeconds).sorted().toArray();
            int[] settled = its.stream().mapToInt(Turn::settled).sorted().toArray();
            return new Summary(
                    contender.name(),
                    middle(sorted),
                    sorted[0],
                    sorted[sorted.length - 1],
                    middle(processor),
                    its.stream().mapToInt(Turn::settled).sum(),
                    settled[0],
                    settled[settled.length - 1]);
        }
    }

    /**
     * How much longer it takes with fbf.
     *
     * @param contender its name
     * @param ofMedians the difference of the medians, in seconds
     * @param lowest the lowest difference of a single round
     * @param highest the highest difference of a single round
     * @param processorSeconds the difference of the medians of the processor time
     */
    record Cost(String contender, double ofMedians, double lowest, double highest, double processorSeconds) {

        static Cost of(Contender contender, Contender without, List<Turn> turns) {
            List<Double> with = seconds(turnsOf(contender, turns));
            List<Double> plain = seconds(turnsOf(without, turns));
            List<Double> differences = new ArrayList<>();
            for (int round = 0; round < with.size(); round++) {
                differences.add(with.get(round) - plain.get(round));
            }
            Summary one = Summary.of(contender, turns);
            Summary other = Summary.of(without, turns);
            return new Cost(
                    contender.name(),
                    one.median() - other.median(),
                    differences.stream().min(Double::compare).orElseThrow(),
                    differences.stream().max(Double::compare).orElseThrow(),
                    one.processorSeconds() - other.processorSeconds());
        }

        boolean isWithinTarget() {
            return ofMedians <= TARGET_SECONDS;
        }
    }

    static RecoveryReport of(String environment, List<Contender> contenders, List<Turn> turns) {
        Contender without = contenders.get(0);
        return new RecoveryReport(
                environment,
                contenders,
                turns,
                contenders.stream()
                        .map(contender -> Summary.of(contender, turns))
                        .toList(),
                contenders.stream()
                        .filter(Contender::isGuarded)
                        .map(contender -> Cost.of(contender, without, turns))
                        .toList());
    }

    /** Whether each contender with fbf had something to settle: else it was not a recovery that was measured. */
    boolean settledSomething() {
        for (int i = 0; i < contenders.size(); i++) {
            if (contenders.get(i).isGuarded() && summaries.get(i).settled() == 0) {
                return false;
            }
        }
        return true;
    }

    private static List<Turn> turnsOf(Contender contender, List<Turn> turns) {
        return turns.stream()
                .filter(turn -> turn.contender().equals(contender.name()))
                .toList();
    }

    private static List<Double> seconds(List<Turn> turns) {
        return turns.stream().map(Turn::seconds).toList();
    }

    private static double middle(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    String table() {
        double[] loads = turns.stream().mapToDouble(Turn::load).sorted().toArray();
        StringBuilder table = new StringBuilder();
        table.append(String.format(Locale.ROOT, "%n  fbf recovery after a kill, %s%n", environment));
        table.append(String.format(
                Locale.ROOT,
                "  seconds from the start of the process until it is ready; %d rounds; load average %.1f (%.1f … %.1f)%n%n",
                turns.size() / contenders.size(),
                middle(loads),
                loads[0],
                loads[loads.length - 1]));
        table.append(String.format(
                Locale.ROOT,
                "  %-20s %7s   %-17s %9s   %s%n",
                "",
                "median",
                "fastest … slowest",
                "processor",
                "settled at a start"));
        for (int i = 0; i < contenders.size(); i++) {
            table.append(line(contenders.get(i), summaries.get(i)));
        }
        table.append(System.lineSeparator());
        for (Cost cost : costs) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-20s %+7.3f   (≤ %.1f: %s; of single rounds %+.3f … %+.3f)   processor time %+.3f%n",
                    cost.contender(),
                    cost.ofMedians(),
                    TARGET_SECONDS,
                    cost.isWithinTarget() ? "met" : "MISSED",
                    cost.lowest(),
                    cost.highest(),
                    cost.processorSeconds()));
        }
        return table.toString();
    }

    private static String line(Contender contender, Summary summary) {
        String times = String.format(
                Locale.ROOT,
                "  %-20s %7.3f   %7.3f … %-7.3f %9.3f",
                contender.name(),
                summary.median(),
                summary.fastest(),
                summary.slowest(),
                summary.processorSeconds());
        return contender.isGuarded()
                ? String.format(
                        Locale.ROOT,
                        "%s   %d … %d   a file of %,d bytes, %,d operations in it%n",
                        times,
                        summary.fewestSettled(),
                        summary.mostSettled(),
                        contender.filterBytes(),
                        contender.elements())
                : String.format(Locale.ROOT, "%s%n", times);
    }
}
