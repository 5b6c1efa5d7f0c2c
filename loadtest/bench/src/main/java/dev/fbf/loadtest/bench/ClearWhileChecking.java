package dev.fbf.loadtest.bench;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.loadtest.harness.Rounds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What it takes to clear a generation in the background, and what that does to checks meanwhile. Puts fill the
 * generations one after another as fast as they go; then one checks while they are dropped.
 */
final class ClearWhileChecking {

    private static final int PAST = 4;
    private static final int PERIODS_WATCHED = 4;
    private static final int BATCH = 2_000;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Double> quiet = new ArrayList<>();
    private final List<Double> meanwhile = new ArrayList<>();
    private final ForgetfulBloomFilter filter;
    private final long refresher;

    private ClearWhileChecking(ForgetfulBloomFilter filter) {
        this.filter = filter;
        refresher = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("fbf-refresh"))
                .mapToLong(Thread::getId)
                .findFirst()
                .orElseThrow();
    }

    /**
     * What was found.
     *
     * @param clearMillis processor time for one generation, on average
     * @param checkRatio the median time of a check while one is cleared, over that of a check while none is
     */
    record Result(double clearMillis, double checkRatio) {}

    static Result measure(int mebibytes, Duration period) throws IOException {
        FilterPlan plan =
                MappedFilter.plan(mebibytes * (1L << 20), PAST, Contender.FPP, period.multipliedBy(PAST + 1L));
        try (BenchDirectory temporary = BenchDirectory.create();
                FilterDirectory directory = FilterDirectory.open(temporary.path())) {
            return new ClearWhileChecking(directory.filter("bench", plan)).measure(plan);
        }
    }

    private Result measure(FilterPlan plan) {
        long periodNanos = plan.period().toNanos();
        putFor((plan.liveGenerations() + 1) * periodNanos);
        checkFor(periodNanos / 10); // to have it compiled
        quiet.clear();
        meanwhile.clear();
        long before = refresherNanos();
        checkFor(PERIODS_WATCHED * periodNanos);
        return new Result(
                (refresherNanos() - before) / 1e6 / PERIODS_WATCHED,
                meanwhile.isEmpty() ? Double.NaN : Rounds.median(meanwhile) / Rounds.median(quiet));
    }

    private void putFor(long nanos) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            for (int i = 0; i < BATCH; i++) {
                filter.put(OperationFilter.draw(random));
            }
        }
    }

    private void checkFor(long nanos) {
        long start = System.nanoTime();
        long wrong = 0;
        for (long begin = start; begin - start < nanos; ) {
            long clearedBefore = refresherNanos();
            for (int i = 0; i < BATCH; i++) {
                wrong += filter.mightContain(OperationFilter.draw(random)) ? 1 : 0;
            }
            long end = System.nanoTime();
            boolean clearing = refresherNanos() - clearedBefore > (end - begin) / 2;
            (clearing ? meanwhile : quiet).add((double) (end - begin));
            begin = System.nanoTime();
        }
        if (wrong < 0) {
            throw new IllegalStateException("wrong=" + wrong); // keeps the checks from being compiled away
        }
    }

    private long refresherNanos() {
        return threads.getThreadCpuTime(refresher);
    }
}
