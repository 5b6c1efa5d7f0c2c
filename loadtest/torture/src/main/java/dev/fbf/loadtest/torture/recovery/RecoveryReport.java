package dev.fbf.loadtest.torture.recovery;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What a run found. */
record RecoveryReport(List<Contender> contenders, List<Turn> turns, List<Summary> summaries) {

    /** How much longer than without fbf it may take with it until an operation is applied: medians, in seconds. */
    static final double COST = 0.5;

    /** How long clients may have to wait, from the first response until an operation is applied: the median, in seconds. */
    static final double MEDIAN = 0.2;

    /** The longest. */
    static final double LONGEST = 1.0;

    /**
     * A contender's turns. All times are in seconds.
     *
     * @param applied the median time from the start of the process until an operation was applied
     * @param cost how much longer that median is than without fbf
     * @param processor the median of the processor time until then
     * @param untilApplied the median time from the first response until an operation was applied
     * @param refusedWhileReady how many operations were refused for what was left in doubt while it said that it was ready
     * @param fewestSettled the fewest transactions that were settled at a start
     */
    record Summary(
            String contender,
            int kills,
            double applied,
            double fastest,
            double slowest,
            double cost,
            double processor,
            double untilApplied,
            double longestUntilApplied,
            int refusedWhileReady,
            int fewestSettled,
            int mostSettled) {

        static Summary of(Contender contender, Contender without, List<Turn> turns) {
            List<Turn> its = turnsOf(contender, turns);
            double[] applied = sorted(its, Turn::applied);
            double[] untilApplied = sorted(its, Turn::untilApplied);
            double[] settled = sorted(its, Turn::settled);
            return new Summary(
                    contender.name(),
                    its.size(),
                    median(applied),
                    applied[0],
                    applied[applied.length - 1],
                    median(applied) - median(sorted(turnsOf(without, turns), Turn::applied)),
                    median(sorted(its, Turn::processor)),
                    median(untilApplied),
                    untilApplied[untilApplied.length - 1],
                    its.stream().mapToInt(Turn::refusedWhileReady).sum(),
                    (int) settled[0],
                    (int) settled[settled.length - 1]);
        }
    }

    static RecoveryReport of(List<Contender> contenders, List<Turn> turns) {
        Contender without = contenders.get(0);
        return new RecoveryReport(
                contenders,
                turns,
                contenders.stream()
                        .map(contender -> Summary.of(contender, without, turns))
                        .toList());
    }

    /** A contender that settles and had nothing to settle was not recovering; one that is ready must not refuse. */
    List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (int i = 0; i < contenders.size(); i++) {
            Summary summary = summaries.get(i);
            if (contenders.get(i).settles() && summary.mostSettled() == 0) {
                failures.add(summary.contender() + " never had anything to settle");
            }
            if (summary.refusedWhileReady() > 0) {
                failures.add(summary.contender() + " was ready and refused operations");
            }
        }
        return failures;
    }

    /** Of each contender with fbf. */
    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (int i = 0; i < contenders.size(); i++) {
            Summary summary = summaries.get(i);
            if (contenders.get(i).isGuarded()) {
                String name = summary.contender() + ": ";
                targets.add(Target.atMost(name + "start over none, s", COST, summary.cost()));
                targets.add(
                        Target.atMost(name + "first response to applied, s, median", MEDIAN, summary.untilApplied()));
                targets.add(Target.atMost(
                        name + "first response to applied, s, longest", LONGEST, summary.longestUntilApplied()));
            }
        }
        return targets;
    }

    private static List<Turn> turnsOf(Contender contender, List<Turn> turns) {
        return turns.stream()
                .filter(turn -> turn.contender().equals(contender.name()))
                .toList();
    }

    private static double[] sorted(List<Turn> turns, ToDoubleFunction<Turn> value) {
        return turns.stream().mapToDouble(value).sorted().toArray();
    }

    private static double median(double[] numbers) {
        return Rounds.median(Arrays.stream(numbers).boxed().toList());
    }

    String table() {
        double[] loads = sorted(turns, Turn::load);
        return format(
                "%n  recovery after a kill under load: %d kills each; load average %.1f (%.1f … %.1f);%n"
                        + "  seconds from the start of the process, and from its first response, to the first applied operation%n%n%s",
                summaries.get(0).kills(),
                median(loads),
                loads[0],
                loads[loads.length - 1],
                Table.of(summaries)
                        .text("", Summary::contender)
                        .number("median", "%.3f", Summary::applied)
                        .text("fastest … slowest", row -> format("%.3f … %.3f", row.fastest(), row.slowest()))
                        .number("over none", "%+.3f", Summary::cost)
                        .number("processor", "%.3f", Summary::processor)
                        .number("response: median", "%.3f", Summary::untilApplied)
                        .number("longest", "%.3f", Summary::longestUntilApplied)
                        .text("settled", row -> row.fewestSettled() + " … " + row.mostSettled()));
    }

    /**
     * One kill of a contender and the start after it. Times are in seconds from the start of the process.
     *
     * @param processor processor time of the process until then: other work on the machine hardly shows in it
     * @param refusedWhileReady how many operations it refused for what was left in doubt, though it said that it was ready
     * @param unanswered how many requests it had not answered when it was killed
     * @param settled how many transactions it found in doubt at its start and settled
     */
    record Turn(
            String contender,
            double firstResponse,
            double applied,
            double processor,
            int refusedWhileReady,
            int unanswered,
            int settled,
            double load) {

        /** How long clients had to wait from the first response until an operation was applied, in seconds. */
        double untilApplied() {
            return applied - firstResponse;
        }
    }
}
