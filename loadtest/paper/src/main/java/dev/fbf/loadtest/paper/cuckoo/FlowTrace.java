package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;

/**
 * Begins and ends of flows, in the place of the Yahoo! trace of section V, which is not to be had. It has the properties
 * that the paper states: all flows within 20 minutes, and the largest number of flows at a time (58,941 and about 7,290
 * in the paper); the number of flows grows and falls both gradually and suddenly, and falls at the end.
 *
 * <p>Assumed: no two flows at a time have the same pair of addresses. Durations are log-normal, scaled until the largest
 * number of flows comes out.
 */
final class FlowTrace {

    static final double SECONDS = 1_200;

    private static final double SIGMA = 1;
    /** Of each minute: how many flows begin, compared with others. Waves, three bursts, and two lulls. */
    private static final double[] RATE_OF_MINUTE = {
        0.8, 1.0, 1.2, 1.4, 2.6, 1.2, 0.9, 0.7, 0.3, 0.3, 0.9, 1.2, 3.2, 1.3, 1.0, 0.8, 0.3, 2.2, 1.0, 0.5
    };

    /** In the order of time. */
    private final Event[] events;

    private final int peak;

    private record Event(double time, long element, boolean isBegin) {}

    private FlowTrace(Event[] events) {
        Arrays.sort(events, Comparator.comparingDouble(Event::time));
        this.events = events;
        int now = 0;
        int most = 0;
        for (Event event : events) {
            now += event.isBegin ? 1 : -1;
            most = Math.max(most, now);
        }
        peak = most;
    }

    static FlowTrace of(int flows, int peak, long seed) {
        double shortest = 1;
        double longest = SECONDS;
        FlowTrace trace = ofMedian(flows, Math.sqrt(shortest * longest), seed);
        for (int i = 0; i < 30 && trace.peak != peak; i++) {
            double median = Math.sqrt(shortest * longest);
            trace = ofMedian(flows, median, seed);
            if (trace.peak > peak) {
                longest = median;
            } else {
                shortest = median;
            }
        }
        return trace;
    }

    private static FlowTrace ofMedian(int flows, double median, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Event[] events = new Event[2 * flows];
        for (int i = 0; i < flows; i++) {
            long element = Hash.of(seed, i);
            double begin;
            double end;
            do { // the paper takes the flows within the 20 minutes
                begin = beginning(random);
                end = begin + median * Math.exp(SIGMA * gaussian(random));
            } while (end >= SECONDS);
            events[2 * i] = new Event(begin, element, true);
            events[2 * i + 1] = new Event(end, element, false);
        }
        return new FlowTrace(events);
    }

    private static double beginning(SplittableRandom random) {
        double minute = SECONDS / RATE_OF_MINUTE.length;
        while (true) {
            int drawn = random.nextInt(RATE_OF_MINUTE.length);
            if (random.nextDouble(3.2) < RATE_OF_MINUTE[drawn]) {
                return (drawn + random.nextDouble()) * minute;
            }
        }
    }

    /** Of SplittableRandom, which has none of its own on JDK 17. */
    private static double gaussian(SplittableRandom random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }

    int events() {
        return events.length;
    }

    long element(int event) {
        return events[event].element;
    }

    boolean isBegin(int event) {
        return events[event].isBegin;
    }

    /** When the last flow ends, in seconds. */
    double end() {
        return events[events.length - 1].time;
    }

    /** The largest number of flows at a time. */
    int peak() {
        return peak;
    }
}
