package dev.fbf.core.memory;

import static dev.fbf.core.memory.MappedState.WORDS;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** What the mapped words promise about the order of accesses. */
public final class MappedOrdering {

    private MappedOrdering() {}

    /** Publication. No weakened variant: on x86 the processor keeps stores in order, and {@link Words} has no plain store that the compiler could move. */
    @JCStressTest
    @Outcome(id = "0, 0|0, 1|1, 1", expect = Expect.ACCEPTABLE, desc = "in some order")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "the flag without what it stands for")
    @State
    public static class ReleasedStores {

        private final long data = MappedState.next();
        private final long flag = data + MappedState.LINE;

        @Actor
        public void publish() {
            WORDS.setRelease(data, 1);
            WORDS.setRelease(flag, 1);
        }

        @Actor
        public void read(JJ_Result result) {
            result.r1 = WORDS.getVolatile(flag);
            result.r2 = WORDS.getVolatile(data);
        }
    }

    /** A store, then a load of another word: a put's bits and its second look, a refresh's epoch and its clearing. */
    @JCStressTest
    @Outcome(id = "0, 1|1, 0|1, 1", expect = Expect.ACCEPTABLE, desc = "in some order")
    @Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "neither saw the other")
    @State
    public static class CompareAndSetThenLoad {

        private final long first = MappedState.next();
        private final long second = first + MappedState.LINE;

        @Actor
        public void one(JJ_Result result) {
            WORDS.compareAndSet(first, 0, 1);
            result.r1 = WORDS.getVolatile(second);
        }

        @Actor
        public void other(JJ_Result result) {
            WORDS.compareAndSet(second, 0, 1);
            result.r2 = WORDS.getVolatile(first);
        }
    }

    /** The store may wait in the processor's buffer until the load is over. */
    @JCStressTest
    @Outcome(id = "0, 1|1, 0|1, 1", expect = Expect.ACCEPTABLE, desc = "in some order")
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE_INTERESTING, desc = "neither saw the other")
    @State
    public static class ReleaseThenLoad {

        private final long first = MappedState.next();
        private final long second = first + MappedState.LINE;

        @Actor
        public void one(JJ_Result result) {
            WORDS.setRelease(first, 1);
            result.r1 = WORDS.getVolatile(second);
        }

        @Actor
        public void other(JJ_Result result) {
            WORDS.setRelease(second, 1);
            result.r2 = WORDS.getVolatile(first);
        }
    }
}
