package dev.fbf.loadtest.paper;

import java.util.function.ToDoubleFunction;

/** A filter under a workload, refreshed every period, in simulated time. */
final class Timeline {

    static final int TICKS_PER_SECOND = 10;

    private final SimulatedFilter filter;
    private final Workload workload;
    private int periodSeconds;
    private int tick;
    private int refreshedAt;
    private long arrived;

    Timeline(SimulatedFilter filter, Workload workload, int periodSeconds) {
        this.filter = filter;
        this.workload = workload;
        this.periodSeconds = periodSeconds;
    }

    /** Goes on to a time; what is due just then, a refresh above all, is still to come. Returns the filter. */
    SimulatedFilter runTo(double seconds) {
        long last = Math.round(seconds * TICKS_PER_SECOND);
        while (tick < last) {
            if (tick - refreshedAt >= periodSeconds * TICKS_PER_SECOND) {
                filter.refresh();
                refreshedAt = tick;
            }
            tick++;
            long due = (long) workload.operationsBy((double) tick / TICKS_PER_SECOND);
            while (arrived < due) {
                filter.insert(arrived++);
            }
        }
        return filter;
    }

    /** The mean of the false positive probability over a span of whole seconds, looked at five times in each. */
    double meanFpp(double fromSeconds, double toSeconds) {
        return mean(fromSeconds, toSeconds, SimulatedFilter::fpp);
    }

    /** The mean of anything over a span of whole seconds, looked at five times in each. */
    double mean(double fromSeconds, double toSeconds, ToDoubleFunction<SimulatedFilter> measurement) {
        double sum = 0;
        int looks = 0;
        for (double seconds = fromSeconds + 0.1; seconds < toSeconds; seconds += 0.2) {
            sum += measurement.applyAsDouble(runTo(seconds));
            looks++;
        }
        return sum / looks;
    }

    SimulatedFilter filter() {
        return filter;
    }

    int periodSeconds() {
        return periodSeconds;
    }

    void changePeriod(int seconds) {
        periodSeconds = seconds;
    }

    /** How many operations have come; they are numbered from 0. */
    long arrived() {
        return arrived;
    }
}
