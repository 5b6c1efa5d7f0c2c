package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Rounds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The windows side by side in one thread: in each tick all have their turn with the same new operations, at the rate that
 * the real filter is planned for, so that its own clock refreshes it. Measured once all are full.
 */
final class WindowTimes {

    private static final int TICKS_A_SECOND = 10;
    private static final int MAX = 500;
    private static final double NANOS = 1e9;

    static final String FORGETFUL = "forgetful filter";
    static final String CONSISTENT = "CCF, with a queue";

    /**
     * What came out of one.
     *
     * @param nanos of a new operation: check, put, and expiry
     * @param check of an absent one
     * @param background processor time of other threads for each operation
     * @param refused how many new operations were false positives, of {@code operations}
     * @param forgotten how many that were within the window were not found: must be none
     */
    record Row(
            String name,
            double fpp,
            double nanos,
            double check,
            double background,
            int refused,
            long operations,
            int forgotten) {}

    private static final class Contender {
        final String name;
        final OperationWindow window;
        final List<Double> nanos = new ArrayList<>();
        final List<Double> checks = new ArrayList<>();
        final Set<Long> refusedOnes = new HashSet<>();
        int refused;
        int forgotten;

        Contender(String name, OperationWindow window) {
            this.name = name;
            this.window = window;
        }

        Row row(double fpp, double background, long offered) {
            return new Row(
                    name, fpp, Rounds.median(nanos), Rounds.median(checks), background, refused, offered, forgotten);
        }
    }

    private final int operations;
    private final int seconds;
    private final double load;

    /**
     * Creates a measurement.
     *
     * @param operations of a window
     * @param seconds how long the window is
     * @param load the part of its slots that the CCF may fill
     */
    WindowTimes(int operations, int seconds, double load) {
        this.operations = operations;
        this.seconds = seconds;
        this.load = load;
    }

    List<Row> measure(double fpp) throws IOException, InterruptedException {
        Path path = Files.createTempDirectory("fbf-window-");
        try (FilterDirectory directory = FilterDirectory.open(path)) {
            FilterPlan plan = new FilterSizing((double) operations / seconds, Duration.ofSeconds(seconds), fpp).plan();
            Shape shape = Shape.PAPER.withFingerprintBits(WindowCost.consistentBits(operations, fpp));
            List<Contender> contenders = List.of(
                    new Contender(FORGETFUL, new OperationWindow.Forgetful(directory.filter("window", plan))),
                    new Contender("cuckoo filter, with a queue", new OperationWindow.Cuckoo(operations, fpp, MAX)),
                    new Contender("cuckoo filter, with tags", new OperationWindow.Tagged(operations, fpp, MAX)),
                    new Contender(CONSISTENT, new OperationWindow.Consistent(shape, operations, load)));
            return run(contenders, fpp);
        } finally {
            Directories.delete(path);
        }
    }

    private List<Row> run(List<Contender> contenders, double fpp) throws InterruptedException {
        int ticks = seconds * TICKS_A_SECOND;
        int perTick = operations / ticks;
        int warmUp = ticks + ticks / 2;
        long[] begins = new long[warmUp + ticks];
        SplittableRandom random = new SplittableRandom(1);
        List<Contender> turns = Rounds.of(begins.length, contenders);
        long background = 0;
        long begin = System.nanoTime();
        for (int tick = 0; tick < begins.length; tick++) {
            TimeUnit.NANOSECONDS.sleep(begin + tick * 1_000_000_000L / TICKS_A_SECOND - System.nanoTime());
            begins[tick] = System.nanoTime();
            boolean isMeasured = tick >= warmUp;
            if (tick == warmUp) {
                background = refresherNanos();
            }
            for (Contender contender : turns.subList(tick * contenders.size(), (tick + 1) * contenders.size())) {
                turn(contender, (long) tick * perTick, perTick, isMeasured);
            }
            for (Contender contender : contenders) {
                lookBack(contender, tick, begins, perTick, random);
            }
        }
        double backgroundNanos = (double) (refresherNanos() - background) / ((long) ticks * perTick);
        long offered = (long) begins.length * perTick;
        return contenders.stream()
                .map(contender -> contender.row(fpp, contender.name.equals(FORGETFUL) ? backgroundNanos : 0, offered))
                .toList();
    }

    private static void turn(Contender contender, long first, int count, boolean isMeasured) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!contender.window.admit(first + i)) {
                contender.refused++;
                contender.refusedOnes.add(first + i);
            }
        }
        long admitted = System.nanoTime();
        for (int i = 0; i < count; i++) {
            contender.window.contains(-1 - first - i);
        }
        long checked = System.nanoTime();
        if (isMeasured) {
            contender.nanos.add((double) (admitted - begin) / count);
            contender.checks.add((double) (checked - admitted) / count);
        }
    }

    /** Looks for some of the operations that are within the window by the clock and by their number. */
    private void lookBack(Contender contender, int tick, long[] begins, int perTick, SplittableRandom random) {
        for (int i = 0; i < 100; i++) {
            int then = tick - random.nextInt(seconds * TICKS_A_SECOND);
            if (then >= 0 && System.nanoTime() - begins[then] < (seconds - 0.5) * NANOS) {
                long operation = (long) then * perTick + random.nextInt(perTick);
                if (!contender.refusedOnes.contains(operation) && !contender.window.contains(operation)) {
                    contender.forgotten++;
                }
            }
        }
    }

    private static long refresherNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = 0;
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().startsWith("fbf-refresh")) {
                nanos += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return nanos;
    }
}
