package dev.fbf.loadtest;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Looks at the filters often, and takes a sample of everything from time to time, on a thread of its own. */
final class Sampler {

    private static final double MEBIBYTE = 1 << 20;
    private static final Duration LONGEST_BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final int LOOKS_IN_A_WINDOW = 30;

    private final SoakParameters parameters;
    private final AppWatch app;
    private final SoakTraffic traffic;
    private final List<Sample> samples = new ArrayList<>();
    private final Thread thread = new Thread(this::run, "sampler");

    private volatile boolean over;
    private long missed;
    private String firstMissed = "";

    Sampler(SoakParameters parameters, AppWatch app, SoakTraffic traffic) {
        this.parameters = parameters;
        this.app = app;
        this.traffic = traffic;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Ends it, and returns what it has. */
    List<Sample> end() throws InterruptedException {
        over = true;
        thread.join();
        return samples;
    }

    /** How many looks failed and why, to be asked when it has ended; empty if none. */
    String missed() {
        return missed == 0 ? "" : "%,d, the first: %s".formatted(missed, firstMissed);
    }

    private void run() {
        try {
            Duration window = parameters.retryWindow().dividedBy(LOOKS_IN_A_WINDOW);
            Duration betweenLooks = window.compareTo(LONGEST_BETWEEN_LOOKS) < 0 ? window : LONGEST_BETWEEN_LOOKS;
            while (!traffic.hasBegun() && !over) {
                Thread.sleep(betweenLooks.toMillis());
            }
            long begin = System.nanoTime();
            long sampled = begin;
            while (!over) {
                Thread.sleep(betweenLooks.toMillis());
                sampled = look(begin, sampled);
            }
        } catch (InterruptedException e) {
            miss(e);
        }
    }

    /** Returns when the last sample was taken. An app that is too slow to answer now may do so later. */
    private long look(long begin, long sampled) throws InterruptedException {
        try {
            app.look();
            long now = System.nanoTime();
            if (now - sampled >= parameters.betweenSamples().toNanos()) {
                samples.add(sample(Duration.ofNanos(now - begin), Duration.ofNanos(now - sampled)));
                return now;
            }
        } catch (IOException | RuntimeException e) {
            miss(e);
        }
        return sampled;
    }

    private void miss(Exception e) {
        if (missed++ == 0) {
            firstMissed = e.toString();
        }
    }

    private Sample sample(Duration time, Duration sinceLast) throws IOException, InterruptedException {
        AppWatch.Memory memory = app.memory();
        Map<Endpoint, Tally.Outcome> outcomes = traffic.cut();
        Collection<FilterWatch> watches = app.filters().values();
        List<FilterWatch.Look> looks = watches.stream().map(FilterWatch::last).toList();
        List<SoakReport.Filter> filters =
                watches.stream().map(FilterWatch::filter).toList();
        return new Sample(
                time.toMillis() / 1e3,
                parameters.isLoudAt(time),
                outcomes.values().stream()
                                .mapToLong(Tally.Outcome::acknowledged)
                                .sum()
                        * 1e9
                        / sinceLast.toNanos(),
                outcomes.values().stream()
                        .mapToDouble(Tally.Outcome::p99Millis)
                        .max()
                        .orElse(0),
                memory.resident() / MEBIBYTE,
                memory.anonymous() / MEBIBYTE,
                memory.live() / MEBIBYTE,
                looks.stream().mapToLong(FilterWatch.Look::bytes).sum() / MEBIBYTE,
                looks.stream().mapToInt(FilterWatch.Look::arenas).sum(),
                looks.stream().mapToInt(FilterWatch.Look::generations).max().orElse(0),
                looks.stream().mapToDouble(FilterWatch.Look::fill).max().orElse(0),
                looks.stream().mapToDouble(FilterWatch.Look::estimatedFpp).max().orElse(0),
                filters.stream().mapToLong(SoakReport.Filter::refreshes).sum(),
                filters.stream().mapToLong(SoakReport.Filter::growths).sum(),
                filters.stream().mapToLong(SoakReport.Filter::shrinks).sum());
    }
}
