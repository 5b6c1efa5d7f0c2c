package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.Bound;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * One contender over another.
 *
 * @param one the contender that is compared
 * @param other the one it is compared with
 * @param figure what is compared, for people
 * @param of what is compared
 * @param wanted the bound; null if we only want to know
 */
record Comparison(
        GuardContender one,
        GuardContender other,
        String figure,
        ToDoubleFunction<Turn> of,
        @Nullable Bound wanted) {

    /** What is compared when a workload has been run. */
    static List<Comparison> of(Workload workload) {
        return switch (workload) {
            case IDLE ->
                List.of(
                        p50(GuardContender.FILTER, GuardContender.UPDATE, Bound.atMost(1.25)),
                        p50(GuardContender.FILTER, GuardContender.PLAIN, Bound.atMost(1.25)),
                        p50(GuardContender.COUNTERS, GuardContender.UPDATE, null));
            case HOT ->
                List.of(
                        throughput(GuardContender.COUNTERS, GuardContender.UPDATE, Bound.atLeast(10)),
                        throughput(GuardContender.COUNTERS_LEDGER, GuardContender.UPDATE, Bound.atLeast(6)),
                        p50(GuardContender.COUNTERS, GuardContender.UPDATE, Bound.atMost(0.3)));
            case ROWS ->
                List.of(
                        throughput(GuardContender.FILTER, GuardContender.PLAIN, Bound.atLeast(0.85)),
                        throughput(GuardContender.LEDGER, GuardContender.KEY_INSERT, Bound.atLeast(1)),
                        throughput(GuardContender.LEDGER_SQL_ONLY, GuardContender.KEY_INSERT, Bound.atLeast(1)),
                        throughput(GuardContender.COUNTERS, GuardContender.UPDATE, Bound.atLeast(1.6)),
                        throughput(GuardContender.COUNTERS_LEDGER, GuardContender.UPDATE, Bound.atLeast(1)));
            case HOT_STORM, ROWS_STORM, ZIPF_STORM ->
                List.of(
                        throughput(GuardContender.FILTER, GuardContender.KEY_INSERT, Bound.atLeast(5)),
                        throughput(GuardContender.COUNTERS, GuardContender.KEY_INSERT, null));
            case HOT_RETRIES, ROWS_RETRIES, ZIPF, ZIPF_RETRIES ->
                List.of(
                        throughput(GuardContender.COUNTERS, GuardContender.UPDATE, null),
                        throughput(GuardContender.COUNTERS_LEDGER, GuardContender.UPDATE, null));
        };
    }

    private static Comparison throughput(GuardContender one, GuardContender other, @Nullable Bound wanted) {
        return new Comparison(one, other, "requests/s", Turn::perSecond, wanted);
    }

    private static Comparison p50(GuardContender one, GuardContender other, @Nullable Bound wanted) {
        return new Comparison(one, other, "p50", Turn::p50Micros, wanted);
    }

    String name() {
        return one + " over " + other + ", " + figure;
    }
}
