package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import dev.fbf.core.plan.Rule;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A check of an operation within its window, while the generations rotate: it must be found. */
public final class CheckAgainstRefresh {

    private CheckAgainstRefresh() {}

    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.FORBIDDEN, desc = "lost within its window")
    @State
    public static class Paper {

        private final TinyFilter filter = TinyFilter.mapped(Rule.PAPER);
        private final TinyFilter checker = filter.asItIs();
        private final TinyFilter rotator = filter.asItIs();

        /** An operation that was put in the period before the last one. */
        public Paper() {
            filter.put(OPERATION);
            filter.rotate();
        }

        @Actor
        public void check(Z_Result result) {
            result.r1 = checker.mightContain(OPERATION);
        }

        @Actor
        public void rotate() {
            rotator.rotate();
        }
    }

    /** The check takes the state it saw first for the state it sees last. */
    @JCStressTest
    @Outcome(id = "true", expect = Expect.ACCEPTABLE, desc = "found")
    @Outcome(id = "false", expect = Expect.ACCEPTABLE_INTERESTING, desc = "lost within its window")
    @State
    public static class WithoutSecondRead {

        private final TinyFilter filter = TinyFilter.mapped(Rule.PAPER);
        private final TinyFilter checker = filter.withoutSecondRead();
        private final TinyFilter rotator = filter.asItIs();

        /** An operation that was put in the period before the last one. */
        public WithoutSecondRead() {
            filter.put(OPERATION);
            filter.rotate();
        }

        @Actor
        public void check(Z_Result result) {
            result.r1 = checker.mightContain(OPERATION);
        }

        @Actor
        public void rotate() {
            rotator.rotate();
        }
    }
}
