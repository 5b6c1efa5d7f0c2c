package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import java.util.function.UnaryOperator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A check of an operation within its window, while the generations turn: it must be found. */
public final class CheckAgainstRefresh {

    private CheckAgainstRefresh() {}

    /** The operation was put in the period before the last one. */
    static class Race {

        private final TinyFilter checker;
        private final TinyFilter turner;

        Race(Rule rule, UnaryOperator<TinyFilter> check, UnaryOperator<TinyFilter> turn) {
            TinyFilter filter = TinyFilter.mapped(rule);
            checker = check.apply(filter);
            turner = turn.apply(filter);
            filter.put(OPERATION);
            filter.turn();
        }

        boolean isFound() {
            return checker.mightContain(OPERATION);
        }

        @Actor
        public void turn() {
            turner.turn();
        }
    }

    @JCStressTest
    @JCStressMeta(Found.class)
    @State
    public static class Single extends Race {
        public Single() {
            super(Rule.SINGLE, TinyFilter::asItIs, TinyFilter::asItIs);
        }

        @Actor
        public void check(Z_Result result) {
            result.r1 = isFound();
        }
    }

    @JCStressTest
    @JCStressMeta(Found.class)
    @State
    public static class Paper extends Race {
        public Paper() {
            super(Rule.PAPER, TinyFilter::asItIs, TinyFilter::asItIs);
        }

        @Actor
        public void check(Z_Result result) {
            result.r1 = isFound();
        }
    }

    /** The check takes the state it saw first for the state it sees last. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class WithoutSecondLook extends Race {
        public WithoutSecondLook() {
            super(Rule.PAPER, TinyFilter::withoutSecondLook, TinyFilter::asItIs);
        }

        @Actor
        public void check(Z_Result result) {
            result.r1 = isFound();
        }
    }

    /** The refresh clears a generation that still counts. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class ClearingBeforePublishing extends Race {
        public ClearingBeforePublishing() {
            super(Rule.PAPER, TinyFilter::asItIs, TinyFilter::clearingBeforePublishing);
        }

        @Actor
        public void check(Z_Result result) {
            result.r1 = isFound();
        }
    }
}
