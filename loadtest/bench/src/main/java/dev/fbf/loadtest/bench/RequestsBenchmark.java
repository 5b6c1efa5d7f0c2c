package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What a new operation and a retry ask of the filter, as a guard does, with requests and without. Few operations a run, so that
 * what is put stays within what the filter is planned for: {@code -r 40ms -w 40ms}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RequestsBenchmark {

    private static final int RETRIED = 1 << 16;

    /** Whether the filter remembers requests. */
    @Param({"false", "true"})
    public boolean requests;

    private final SplittableRandom random = new SplittableRandom();
    private final OperationId[] known = new OperationId[RETRIED];
    private final OperationId[] theirRequests = new OperationId[RETRIED];
    private int next;

    @SuppressWarnings("NullAway.Init") // by JMH, in fill()
    private BenchDirectory temporary;

    @SuppressWarnings("NullAway.Init") // by JMH, in fill()
    private FilterDirectory directory;

    @SuppressWarnings("NullAway.Init") // by JMH, in fill()
    private ForgetfulBloomFilter filter;

    /** Fills the newest generation. The window is long, so that nothing is refreshed while it is measured. */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        double operations = 8_000_000;
        Duration window = Duration.ofHours(10);
        FilterPlan plan = new FilterSizing(
                        operations / window.toSeconds(),
                        window,
                        FilterSizing.DEFAULT.falsePositiveProbability(),
                        FilterSizing.UNLIMITED,
                        requests)
                .plan();
        temporary = BenchDirectory.create();
        directory = FilterDirectory.open(temporary.path());
        filter = directory.filter("bench", plan);
        long perGeneration = Math.round(operations / (plan.past() + 1));
        for (long i = 0; i < perGeneration; i++) {
            int slot = (int) (i & (RETRIED - 1));
            known[slot] = OperationFilter.draw(random);
            theirRequests[slot] = OperationFilter.draw(random);
            apply(known[slot], theirRequests[slot]);
        }
    }

    /** Removes the file. */
    @TearDown(Level.Trial)
    public void close() throws Exception {
        directory.close();
        temporary.close();
    }

    /** A new operation: it is looked for, claimed and applied. */
    @Benchmark
    public boolean newOperation() {
        return apply(OperationFilter.draw(random), OperationFilter.draw(random));
    }

    /** A retry: it is found, and compared. */
    @Benchmark
    public boolean retry() {
        int slot = next++ & (RETRIED - 1);
        boolean found = filter.mightContain(known[slot]);
        return requests ? found && !filter.isOfAnotherRequest(known[slot], theirRequests[slot]) : found;
    }

    private boolean apply(OperationId id, OperationId request) {
        boolean found = filter.mightContain(id);
        if (requests) {
            filter.putRequest(request);
        }
        filter.put(id);
        if (requests) {
            filter.putRequest(request);
        }
        return found;
    }
}
