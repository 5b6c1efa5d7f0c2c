package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import java.util.function.UnaryOperator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A put while the generations turn: the operation must be found for a whole window. */
public final class InsertAgainstRefresh {

    private InsertAgainstRefresh() {}

    static class Race {

        private final TinyFilter filter;
        private final TinyFilter putter;
        private final TinyFilter turner;

        Race(Rule rule, UnaryOperator<TinyFilter> put, UnaryOperator<TinyFilter> turn) {
            filter = TinyFilter.mapped(rule);
            putter = put.apply(filter);
            turner = turn.apply(filter);
        }

        @Actor
        public void put() {
            putter.put(OPERATION);
        }

        @Actor
        public void turn() {
            turner.turn();
        }

        boolean isKept() {
            return filter.keeps(OPERATION, putter.lookedAt());
        }
    }

    @JCStressTest
    @JCStressMeta(Found.class)
    @State
    public static class Single extends Race {
        public Single() {
            super(Rule.SINGLE, TinyFilter::asItIs, TinyFilter::asItIs);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = isKept();
        }
    }

    @JCStressTest
    @JCStressMeta(Found.class)
    @State
    public static class Paper extends Race {
        public Paper() {
            super(Rule.PAPER, TinyFilter::asItIs, TinyFilter::asItIs);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = isKept();
        }
    }

    /** The put takes the state it saw first for the state it sees last. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class WithoutSecondLook extends Race {
        public WithoutSecondLook() {
            super(Rule.SINGLE, TinyFilter::withoutSecondLook, TinyFilter::asItIs);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = isKept();
        }
    }

    /** The refresh publishes a generation and clears it afterwards. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class PublishingBeforeClearing extends Race {
        public PublishingBeforeClearing() {
            super(Rule.SINGLE, TinyFilter::asItIs, TinyFilter::publishingBeforeClearing);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = isKept();
        }
    }
}
