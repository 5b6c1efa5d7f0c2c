package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A put while a larger arena takes over: the operation must be found for a whole window, wherever it went. */
public final class InsertAgainstGrowth {

    private InsertAgainstGrowth() {}

    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "lost within its window")
    @State
    public static class Growing {

        private final TinyGrowth filter = new TinyGrowth();

        @Actor
        public void put() {
            filter.put(OPERATION);
        }

        @Actor
        public void grow() {
            filter.grow();
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION);
        }
    }

    /** The put does not read again which arena is the newest. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.ACCEPTABLE_INTERESTING, desc = "lost within its window")
    @State
    public static class WithoutSecondRead {

        private final TinyGrowth filter = new TinyGrowth();

        @Actor
        public void put() {
            filter.putWithoutSecondRead(OPERATION);
        }

        @Actor
        public void grow() {
            filter.grow();
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION);
        }
    }
}
