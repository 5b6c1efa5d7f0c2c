package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import dev.fbf.core.plan.Rule;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A put while the generations rotate: the operation must be found for a whole window. */
public final class InsertAgainstRefresh {

    private InsertAgainstRefresh() {}

    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "lost within its window")
    @State
    public static class Single {

        private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
        private final TinyFilter putter = filter.asItIs();
        private final TinyFilter rotator = filter.asItIs();

        @Actor
        public void put() {
            putter.put(OPERATION);
        }

        @Actor
        public void rotate() {
            rotator.rotate();
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION, putter.stateReadAt());
        }
    }

    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "lost within its window")
    @State
    public static class Paper {

        private final TinyFilter filter = TinyFilter.mapped(Rule.PAPER);
        private final TinyFilter putter = filter.asItIs();
        private final TinyFilter rotator = filter.asItIs();

        @Actor
        public void put() {
            putter.put(OPERATION);
        }

        @Actor
        public void rotate() {
            rotator.rotate();
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION, putter.stateReadAt());
        }
    }

    /** The put takes the state it saw first for the state it sees last. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.ACCEPTABLE_INTERESTING, desc = "lost within its window")
    @State
    public static class WithoutSecondRead {

        private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
        private final TinyFilter putter = filter.withoutSecondRead();
        private final TinyFilter rotator = filter.asItIs();

        @Actor
        public void put() {
            putter.put(OPERATION);
        }

        @Actor
        public void rotate() {
            rotator.rotate();
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION, putter.stateReadAt());
        }
    }
}
