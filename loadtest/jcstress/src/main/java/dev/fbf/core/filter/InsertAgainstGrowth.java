package dev.fbf.core.filter;

import static dev.fbf.core.filter.TinyFilter.OPERATION;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A put while a larger arena takes over: the operation must be found for a whole window, wherever it went. */
public final class InsertAgainstGrowth {

    private InsertAgainstGrowth() {}

    static class Race {

        final TinyGrowth filter = new TinyGrowth();

        @Actor
        public void grow() {
            filter.grow();
        }
    }

    @JCStressTest
    @JCStressMeta(Found.class)
    @State
    public static class Growing extends Race {

        @Actor
        public void put() {
            filter.put(OPERATION);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION);
        }
    }

    /** The put does not look again which arena is the newest. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class WithoutSecondLook extends Race {

        @Actor
        public void put() {
            filter.putWithoutSecondLook(OPERATION);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keeps(OPERATION);
        }
    }

    /** The older arena is no longer asked. */
    @JCStressTest
    @JCStressMeta(Found.OrLost.class)
    @State
    public static class AskingTheNewestAlone extends Race {

        @Actor
        public void put() {
            filter.put(OPERATION);
        }

        @Arbiter
        public void check(Z_Result result) {
            result.r1 = filter.keepsInNewest(OPERATION);
        }
    }
}
