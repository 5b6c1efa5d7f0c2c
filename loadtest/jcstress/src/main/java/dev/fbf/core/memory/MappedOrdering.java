package dev.fbf.core.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** What the mapped words promise about the order of accesses. */
public final class MappedOrdering {

    private static final long LINE = 8;

    /** Two words that are not in the same cache line. */
    private static final long FIRST = 0;

    private static final long SECOND = LINE;

    private MappedOrdering() {}

    /** Publication. No weakened variant: on x86 the processor keeps stores in order, and {@link Words} has no plain store that the compiler could move. */
    @JCStressTest
    @Outcome(id = "0, 0|0, 1|1, 1", expect = Expect.ACCEPTABLE, desc = "in some order")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "the flag without what it stands for")
    @State
    public static class ReleasedStores {

        private final Words words = MappedRing.next(2 * LINE);

        @Actor
        public void publish() {
            words.setRelease(FIRST, 1);
            words.setRelease(SECOND, 1);
        }

        @Actor
        public void read(JJ_Result result) {
            result.r1 = words.getVolatile(SECOND);
            result.r2 = words.getVolatile(FIRST);
        }
    }

    /** A store, then a load of another word: a put's bits and its second look, a refresh's epoch and its clearing. */
    @JCStressTest
    @Outcome(id = "0, 1|1, 0|1, 1", expect = Expect.ACCEPTABLE, desc = "in some order")
    @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "neither saw the other")
    @State
    public static class CompareAndSetThenLoad {

        private final Words words = MappedRing.next(2 * LINE);

        @Actor
        public void one(JJ_Result result) {
            words.compareAndSet(FIRST, 0, 1);
            result.r1 = words.getVolatile(SECOND);
        }

        @Actor
        public void other(JJ_Result result) {
            words.compareAndSet(SECOND, 0, 1);
            result.r2 = words.getVolatile(FIRST);
        }
    }

    /** The store may wait in the processor's buffer until the load is over. */
    @JCStressTest
    @Outcome(id = "0, 1|1, 0|1, 1", expect = Expect.ACCEPTABLE, desc = "in some order")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE_INTERESTING, desc = "neither saw the other")
    @State
    public static class ReleaseThenLoad {

        private final Words words = MappedRing.next(2 * LINE);

        @Actor
        public void one(JJ_Result result) {
            words.setRelease(FIRST, 1);
            result.r1 = words.getVolatile(SECOND);
        }

        @Actor
        public void other(JJ_Result result) {
            words.setRelease(SECOND, 1);
            result.r2 = words.getVolatile(FIRST);
        }
    }
}
