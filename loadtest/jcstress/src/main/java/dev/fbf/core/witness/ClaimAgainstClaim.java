package dev.fbf.core.witness;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two requests for one operation, each of which applies it if it gets the claim: exactly one does. */
public final class ClaimAgainstClaim {

    private ClaimAgainstClaim() {}

    @JCStressTest
    @Outcome(id = "CLAIMED, IN_PROGRESS|IN_PROGRESS, CLAIMED", expect = Expect.ACCEPTABLE, desc = "at the same time")
    @Outcome(id = "CLAIMED, APPLIED|APPLIED, CLAIMED", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "CLAIMED, CLAIMED", expect = Expect.FORBIDDEN, desc = "applied twice")
    @State
    public static class Guarded {

        private final Requests requests = new Requests(false);

        @Actor
        public void one(LL_Result result) {
            result.r1 = requests.admitAndApply();
        }

        @Actor
        public void other(LL_Result result) {
            result.r2 = requests.admitAndApply();
        }
    }

    /** The filter is asked first, the claim is taken second. */
    @JCStressTest
    @Outcome(id = "CLAIMED, IN_PROGRESS|IN_PROGRESS, CLAIMED", expect = Expect.ACCEPTABLE, desc = "at the same time")
    @Outcome(id = "CLAIMED, APPLIED|APPLIED, CLAIMED", expect = Expect.ACCEPTABLE, desc = "one after the other")
    @Outcome(id = "CLAIMED, CLAIMED", expect = Expect.ACCEPTABLE_INTERESTING, desc = "applied twice")
    @State
    public static class FilterFirst {

        private final Requests requests = new Requests(true);

        @Actor
        public void one(LL_Result result) {
            result.r1 = requests.admitAndApply();
        }

        @Actor
        public void other(LL_Result result) {
            result.r2 = requests.admitAndApply();
        }
    }
}
