package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.NEIGHBOUR;
import static dev.fbf.core.filter.TinyFilter.OPERATION;

import dev.fbf.core.plan.Rule;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Two puts that set different bits of the same words: both must be found. */
public final class InsertAgainstInsert {

    private InsertAgainstInsert() {}

    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "lost within its window")
    @State
    public static class SameWords {

        private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
        private final TinyFilter one = filter.asItIs();
        private final TinyFilter other = filter.asItIs();

        @Actor
        public void put() {
            one.put(OPERATION);
        }

        @Actor
        public void putNeighbour() {
            other.put(NEIGHBOUR);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.mightContain(OPERATION) && filter.mightContain(NEIGHBOUR);
        }
    }

    /** The bits are read and written, not compared and set. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.ACCEPTABLE_INTERESTING, desc = "lost within its window")
    @State
    public static class TornCompareAndSet {

        private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
        private final TinyFilter one = filter.withTornCompareAndSet();
        private final TinyFilter other = filter.withTornCompareAndSet();

        @Actor
        public void put() {
            one.put(OPERATION);
        }

        @Actor
        public void putNeighbour() {
            other.put(NEIGHBOUR);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.mightContain(OPERATION) && filter.mightContain(NEIGHBOUR);
        }
    }
}
