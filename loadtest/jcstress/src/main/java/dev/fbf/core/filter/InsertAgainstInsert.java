package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.NEIGHBOUR;
import static dev.fbf.core.filter.TinyFilter.OPERATION;

import java.util.function.UnaryOperator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Two puts that set different bits of the same words: both must be found. */
public final class InsertAgainstInsert {

    private InsertAgainstInsert() {}

    static class Race {

        private final TinyFilter filter = TinyFilter.mapped(Rule.SINGLE);
        private final TinyFilter one;
        private final TinyFilter other;

        Race(UnaryOperator<TinyFilter> put) {
            one = put.apply(filter);
            other = put.apply(filter);
        }

        @Actor
        public void put() {
            one.put(OPERATION);
        }

        @Actor
        public void putNeighbour() {
            other.put(NEIGHBOUR);
        }

        boolean areFound() {
            return filter.mightContain(OPERATION) && filter.mightContain(NEIGHBOUR);
        }
    }

    @JCStressTest
    @JCStressMeta(Found.class)
    @State
    public static class SameWords extends Race {
        public SameWords() {
            super(TinyFilter::asItIs);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = areFound();
        }
    }

    /** The bits are read and written, not compared and set. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class TornCompareAndSet extends Race {
        public TornCompareAndSet() {
            super(TinyFilter::withTornCompareAndSet);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = areFound();
        }
    }
}
