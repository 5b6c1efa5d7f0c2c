package dev.fbf.loadtest.bench;

import dev.fbf.core.OperationId;
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

/** A check of an operation that is absent, and a put of a new one; the filters are as full as they were planned for. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FilterBenchmark {

    /** Who is measured. */
    @Param
    public Contender contender = Contender.GUAVA;

    /** Size of the filter in MiB. */
    @Param("64")
    public int mebibytes;

    @SuppressWarnings("NullAway.Init") // by JMH, in fill()
    private OperationFilter filter;

    /** Fills the contender. */
    @Setup(Level.Trial)
    public void fill() throws Exception {
        filter = contender.filled(mebibytes * (1L << 20));
    }

    /** Removes what the contender left on disk. */
    @TearDown(Level.Trial)
    public void close() throws Exception {
        filter.close();
    }

    /** A ring of operations, long enough that the cache does not know where they lie. */
    private static final class Ring {
        private final OperationId[] ids;
        private int next;

        Ring(int count) {
            SplittableRandom random = new SplittableRandom();
            ids = new OperationId[count];
            for (int i = 0; i < count; i++) {
                ids[i] = OperationFilter.draw(random);
            }
        }

        OperationId next() {
            return ids[next++ & (ids.length - 1)];
        }
    }

    /** Operations that were never put. */
    @State(Scope.Thread)
    public static class Absent {
        private final Ring ring = new Ring(1 << 20);
    }

    /** Operations to put: more than there is time for, so that none is put twice. */
    @State(Scope.Thread)
    public static class New {
        private final Ring ring = new Ring(1 << 22);
    }

    /** Checks an operation that is absent. */
    @Benchmark
    public boolean check(Absent absent) {
        return filter.mightContain(absent.ring.next());
    }

    /** Puts an operation. */
    @Benchmark
    public void put(New operations) {
        filter.put(operations.ring.next());
    }
}
