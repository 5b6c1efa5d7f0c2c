package dev.fbf.loadtest.paper;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What an adaptive filter looked like in each second of a run, and what was changed. */
record AdaptiveTrace(List<Look> looks, List<Change> changes) {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int FIRST_PAST = 1;
    private static final int FIRST_PERIOD = 11;

    /** At the end of a second, before anything is changed. */
    record Look(int filters, int period, double model, double fpp, double forgotten) {}

    record Change(int second, int filtersBefore, int filters, int periodBefore, int period) {}

    static AdaptiveTrace record(Rule rule, Workload workload, double target, int seconds, long seed) {
        SimulatedFilter filter = new SimulatedFilter(rule, POSITIONS, PROBES, FIRST_PAST, seed);
        Timeline timeline = new Timeline(filter, workload, FIRST_PERIOD);
        Resizing resizing = new Resizing(rule, target);
        AdaptiveTrace trace = new AdaptiveTrace(new ArrayList<>(), new ArrayList<>());
        for (int second = 1; second <= seconds; second++) {
            timeline.runTo(second);
            int filters = filter.past() + 2;
            int period = timeline.periodSeconds();
            trace.looks.add(new Look(
                    filters, period, filter.load().model(rule), filter.fpp(), forgotten(timeline, workload, second)));
            if (resizing.resize(timeline)) {
                trace.changes.add(new Change(second, filters, filter.past() + 2, period, timeline.periodSeconds()));
            }
        }
        return trace;
    }

    /** The share of the operations within the window the run began with that are no longer known. */
    private static double forgotten(Timeline timeline, Workload workload, int second) {
        int window = (FIRST_PAST + 1) * FIRST_PERIOD;
        long first = (long) workload.operationsBy(Math.max(0, second - window));
        long unknown = 0;
        for (long element = first; element < timeline.arrived(); element++) {
            unknown += timeline.filter().mightContain(element) ? 0 : 1;
        }
        return (double) unknown / (timeline.arrived() - first);
    }

    Change firstStepUp() {
        return changes.stream()
                .filter(change -> change.filters > change.filtersBefore)
                .findFirst()
                .orElse(new Change(0, 0, 0, 0, 0));
    }

    double stepsUp() {
        return changes.stream()
                .filter(change -> change.filters > change.filtersBefore)
                .count();
    }

    double above(double target) {
        return looks.stream().filter(look -> look.fpp > target).count();
    }

    double highest(ToDoubleFunction<Look> value) {
        return looks.stream().mapToDouble(value).max().orElseThrow();
    }
}
