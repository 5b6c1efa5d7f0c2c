package dev.fbf.core.guard;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two requests for one operation, each of which applies it if it gets the claim: exactly one does. */
public final class ClaimAgainstClaim {

    private ClaimAgainstClaim() {}

    static class Race {

        private final Requests requests;

        Race(Requests.Order order) {
            requests = new Requests(order);
        }

        String admitAndApply() {
            return requests.admitAndApply();
        }
    }

    /** What comes of the weakened variants. */
    @Outcome(id = "CLAIMED, IN_PROGRESS|IN_PROGRESS, CLAIMED", expect = Expect.ACCEPTABLE, desc = "at the same time")
    @Outcome(id = "CLAIMED, APPLIED|APPLIED, CLAIMED", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "CLAIMED, CLAIMED", expect = Expect.ACCEPTABLE_INTERESTING, desc = "applied twice")
    static final class OnceOrTwice {

        private OnceOrTwice() {}
    }

    @JCStressTest
    @Outcome(id = "CLAIMED, IN_PROGRESS|IN_PROGRESS, CLAIMED", expect = Expect.ACCEPTABLE, desc = "at the same time")
    @Outcome(id = "CLAIMED, APPLIED|APPLIED, CLAIMED", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "CLAIMED, CLAIMED", expect = Expect.FORBIDDEN, desc = "applied twice")
    @State
    public static class Guarded extends Race {
        public Guarded() {
            super(Requests.Order.AS_IT_IS);
        }

        @Actor
        public void one(LL_Result result) {
            result.r1 = admitAndApply();
        }

        @Actor
        public void other(LL_Result result) {
            result.r2 = admitAndApply();
        }
    }

    /** The filter is asked first, the claim is taken second. */
    @JCStressTest
    @JCStressMeta(OnceOrTwice.class)
    @State
    public static class FilterFirst extends Race {
        public FilterFirst() {
            super(Requests.Order.FILTER_FIRST);
        }

        @Actor
        public void one(LL_Result result) {
            result.r1 = admitAndApply();
        }

        @Actor
        public void other(LL_Result result) {
            result.r2 = admitAndApply();
        }
    }

    /** The claim is freed first, the filter is told second. */
    @JCStressTest
    @JCStressMeta(OnceOrTwice.class)
    @State
    public static class FreedFirst extends Race {
        public FreedFirst() {
            super(Requests.Order.FREED_FIRST);
        }

        @Actor
        public void one(LL_Result result) {
            result.r1 = admitAndApply();
        }

        @Actor
        public void other(LL_Result result) {
            result.r2 = admitAndApply();
        }
    }
}
