package dev.fbf.loadtest.paper;

/**
 * Algorithm 3: every second, more filters and a shorter period when the false positive probability nears its target, the
 * reverse when it is far below.
 */
final class Resizing {

    private static final int SMALLEST_PAST = 1;

    private final Rule rule;
    private final double target;

    Resizing(Rule rule, double target) {
        this.rule = rule;
        this.target = target;
    }

    /** Returns whether anything was changed. */
    boolean resize(Timeline timeline) {
        SimulatedFilter filter = timeline.filter();
        double fpp = filter.load().model(rule);
        if (fpp >= 0.9 * target) {
            filter.resize(Math.min(2 * (filter.past() + 2) - 2, SimulatedFilter.MAX_PAST - 2));
            timeline.changePeriod(Math.max(timeline.periodSeconds() - 1, 1));
            return true;
        }
        // with three filters there is nothing to give back; else the period would grow for ever while nothing comes
        if (fpp <= 0.1 * target && filter.past() > SMALLEST_PAST) {
            filter.resize(filter.past() - 1);
            timeline.changePeriod(timeline.periodSeconds() + 1);
            return true;
        }
        return false;
    }
}
