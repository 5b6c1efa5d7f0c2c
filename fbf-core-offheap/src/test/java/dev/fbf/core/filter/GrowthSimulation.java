package dev.fbf.core.filter;

import dev.fbf.core.plan.ExactModel;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.core.plan.Spread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A filter that grows, as numbers alone: hours of millions of operations in a second. The policy, the plans and the
 * probabilities are the real ones; arenas count the puts, and estimate them by a sample of lines as real ones do.
 */
final class GrowthSimulation {

    /** How fast a disk takes the zeros of a new file; until then the arena before it takes the puts. */
    private static final double DISK_BYTES_PER_MILLI = 100_000;

    private static final double SAMPLE_LINES = 2048;

    /** How many operations come in a time, in milliseconds from the beginning. */
    @FunctionalInterface
    interface Load {
        double between(long from, long to, Random random);

        /** Whether the filter is sampled right after each refresh: the moment in which a rate says least. */
        default boolean sampledAfterRefresh() {
            return false;
        }
    }

    private final FilterSizing stated;
    private final Load load;
    private final Random random = new Random(1);
    private final Deque<SimulatedArena> arenas = new ArrayDeque<>();
    private final List<Double> perSecond = new ArrayList<>();
    private GrowthDecision growth;
    private @Nullable FilterPlan creating;
    private long createdAt;
    private long now;
    private long sampledAt;

    int growths;
    long mostBytes;
    double highestFpp;

    GrowthSimulation(FilterSizing stated, Load load) {
        this.stated = stated;
        this.load = load;
        FilterPlan plan = stated.plan();
        arenas.add(new SimulatedArena(plan));
        growth = new GrowthDecision(plan);
    }

    GrowthSimulation run(Duration duration) {
        while (now < duration.toMillis()) {
            step();
        }
        return this;
    }

    /** The bytes of a filter for this load's highest rate over a period, if that is above the stated rate. */
    long bytesNeeded() {
        long period = stated.plan().period().toMillis();
        int seconds = (int) Math.max(1, period / 1000);
        double most = 0;
        double sum = 0;
        for (int second = 0; second < perSecond.size(); second++) {
            sum += perSecond.get(second) - (second < seconds ? 0 : perSecond.get(second - seconds));
            most = Math.max(most, sum / seconds);
        }
        return new FilterSizing(
                        Math.max(stated.expectedOperationsPerSecond(), most),
                        stated.retryWindow(),
                        stated.falsePositiveProbability())
                .plan()
                .bytes();
    }

    /** The most bytes over those needed. */
    double excess() {
        return (double) mostBytes / bytesNeeded();
    }

    private void step() {
        long sampleAt = sampledAt
                + growth.millisToNextSample(
                        Math.min(1_000, arenas.getFirst().plan.period().toMillis() / 100));
        long next = Math.min(sampleAt, (now / 1000 + 1) * 1000);
        if (load.sampledAfterRefresh()) {
            sampleAt = afterRefresh(sampleAt);
        }
        for (SimulatedArena arena : arenas) {
            next = Math.min(next, arena.refreshedAt + arena.period);
        }
        next = Math.max(now + 1, Math.min(next, sampleAt));
        if (creating != null && createdAt > now) {
            next = Math.min(next, createdAt);
        }
        put(load.between(now, next, random), next);
        now = next;
        highestFpp = Math.max(highestFpp, fpp(true));
        for (SimulatedArena arena : arenas) {
            arena.refreshIfDue(now);
        }
        arenas.removeIf(arena -> arena.supersededAt >= 0
                && now >= arena.supersededAt + arena.plan.window().toMillis());
        takeOverIfCreated();
        if (now >= sampleAt) {
            sample();
        }
    }

    /** The last sample of a period comes late, as when something holds the thread up: a millisecond after the refresh. */
    private long afterRefresh(long sampleAt) {
        SimulatedArena newest = arenas.getFirst();
        if (now == newest.refreshedAt) {
            return now + 1;
        }
        long refresh = newest.refreshedAt + newest.period;
        return sampleAt > refresh - 1_000 ? refresh + 1 : sampleAt;
    }

    private void put(double operations, long until) {
        int second = (int) ((until - 1) / 1000);
        while (perSecond.size() <= second) {
            perSecond.add(0.0);
        }
        perSecond.set(second, perSecond.get(second) + operations);
        arenas.getFirst().put(operations);
    }

    private void sample() {
        FilterPlan next = creating != null ? null : growth.next(stats(), now - sampledAt);
        sampledAt = now;
        if (next != null) {
            growths++;
            creating = next;
            createdAt = now + (long) (next.bytes() / DISK_BYTES_PER_MILLI);
            mostBytes = Math.max(mostBytes, bytes() + next.bytes());
        }
        mostBytes = Math.max(mostBytes, bytes());
    }

    private void takeOverIfCreated() {
        if (creating != null && now >= createdAt) {
            arenas.getFirst().supersededAt = now;
            arenas.addFirst(new SimulatedArena(creating));
            growth = new GrowthDecision(creating);
            creating = null;
        }
    }

    private long bytes() {
        return arenas.stream().mapToLong(arena -> arena.plan.bytes()).sum();
    }

    private double fpp(boolean exactly) {
        double right = 1;
        for (SimulatedArena arena : arenas) {
            right *= 1 - arena.fpp(exactly);
        }
        return 1 - right;
    }

    private FilterStats stats() {
        return new FilterStats(
                stated.falsePositiveProbability(),
                arenas.stream().map(SimulatedArena::stats).toList(),
                0);
    }

    private final class SimulatedArena {

        private final FilterPlan plan;
        private final long period;
        private final double sampledPart;
        private final double capacity;
        private final Map<Long, Double> fpps = new HashMap<>();
        private final Deque<Generation> newestFirst = new ArrayDeque<>();
        private long refreshedAt = now;
        private long supersededAt = -1;

        SimulatedArena(FilterPlan plan) {
            this.plan = plan;
            period = plan.period().toMillis();
            capacity = plan.capacity();
            sampledPart = plan.spread().lines() * Math.min(1, SAMPLE_LINES / plan.lines());
            for (int generation = 0; generation < plan.liveGenerations(); generation++) {
                newestFirst.add(new Generation());
            }
        }

        void put(double operations) {
            Generation newest = newestFirst.getFirst();
            newest.count += operations;
            newest.hits += poisson(operations * sampledPart, random);
        }

        void refreshIfDue(long time) {
            if (time >= refreshedAt + period) {
                refreshedAt = time;
                newestFirst.addFirst(new Generation());
                newestFirst.removeLast();
            }
        }

        double fpp(boolean exactly) {
            double right = 1;
            for (Generation generation : newestFirst) {
                right *= 1 - fpp(exactly ? generation.count : generation.hits / sampledPart);
            }
            return 1 - right;
        }

        /** Of a generation alone, for a count rounded up: each is worked out once. */
        private double fpp(double elements) {
            long parts = (long) Math.ceil(elements / capacity * 2_000);
            return fpps.computeIfAbsent(parts, part -> {
                Spread spread = plan.spread();
                double elementsPerLine = capacity * part / 2_000 * spread.lines() / plan.lines();
                return part == 0 ? 0 : ExactModel.single(spread, elementsPerLine, -1, 1);
            });
        }

        ArenaStats stats() {
            return new ArenaStats(
                    plan,
                    supersededAt >= 0,
                    Duration.ofMillis(now - refreshedAt),
                    Duration.ZERO,
                    fpp(false),
                    newestFirst.stream()
                            .map(generation ->
                                    new GenerationStats(Duration.ZERO, 0, Math.round(generation.hits / sampledPart)))
                            .toList());
        }
    }

    private static final class Generation {
        private double count;
        private double hits;
    }

    static double poisson(double mean, Random random) {
        return mean == 0 ? 0 : Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
    }
}
