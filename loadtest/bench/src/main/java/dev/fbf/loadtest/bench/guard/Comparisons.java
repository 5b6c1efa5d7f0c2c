package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS;
import static dev.fbf.loadtest.bench.guard.GuardContender.COUNTERS_LEDGER;
import static dev.fbf.loadtest.bench.guard.GuardContender.FILTER;
import static dev.fbf.loadtest.bench.guard.GuardContender.GROUPED_UPSERT;
import static dev.fbf.loadtest.bench.guard.GuardContender.KEY_INSERT;
import static dev.fbf.loadtest.bench.guard.GuardContender.LEDGER;
import static dev.fbf.loadtest.bench.guard.GuardContender.LEDGER_SQL_ONLY;
import static dev.fbf.loadtest.bench.guard.GuardContender.PENDING_ROW;
import static dev.fbf.loadtest.bench.guard.GuardContender.PLAIN;
import static dev.fbf.loadtest.bench.guard.GuardContender.REDIS_LUA_ALWAYS;
import static dev.fbf.loadtest.bench.guard.GuardContender.REDIS_LUA_EVERYSEC;
import static dev.fbf.loadtest.bench.guard.GuardContender.UPDATE;
import static dev.fbf.loadtest.harness.Target.Bound.atLeast;
import static dev.fbf.loadtest.harness.Target.Bound.atMost;

import dev.fbf.loadtest.bench.guard.Crowd.Turn;
import dev.fbf.loadtest.bench.guard.GuardReport.Ratio;
import dev.fbf.loadtest.harness.Target.Bound;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares contenders at a workload, with the wanted bound of each ratio. A comparison with a contender that took no part is left
 * out.
 *
 * @param turns all of one workload
 * @param syncMicros how long a sync of the disk took, in microseconds
 */
record Comparisons(List<Turn> turns, double syncMicros) {

    /** Syncs of the disk, in microseconds: at most the first, a hot row's {@code UPDATE} waits little; from the second on, much. */
    private static final double FAST_SYNC = 100;

    private static final double SLOW_SYNC = 200;

    List<Ratio> of(Workload workload) {
        return comparisons(workload).flatMap(Optional::stream).toList();
    }

    private Stream<Optional<Ratio>> comparisons(Workload workload) {
        return switch (workload) {
            case IDLE ->
                Stream.of(
                        p50(FILTER, UPDATE, atMost(1.25)),
                        p50(FILTER, PLAIN, atMost(1.15)),
                        p50(COUNTERS, UPDATE, atMost(1.3)));
            case HOT ->
                Stream.of(
                        rate(COUNTERS, UPDATE, atLeast(ofHotRow(syncMicros))),
                        rate(COUNTERS_LEDGER, UPDATE, atLeast(6)),
                        rate(COUNTERS_LEDGER, COUNTERS, atLeast(0.7)),
                        rate(FILTER, KEY_INSERT, atLeast(1.05)),
                        p50(COUNTERS, UPDATE, atMost(0.3)),
                        server(COUNTERS, atMost(1.4)),
                        server(COUNTERS_LEDGER, atMost(3)),
                        rate(COUNTERS, GROUPED_UPSERT, null),
                        rate(COUNTERS, REDIS_LUA_ALWAYS, null),
                        rate(COUNTERS, REDIS_LUA_EVERYSEC, null),
                        rate(FILTER, PENDING_ROW, null));
            case ROWS ->
                Stream.of(
                        rate(FILTER, PLAIN, atLeast(0.85)),
                        rate(LEDGER, KEY_INSERT, atLeast(1.1)),
                        rate(LEDGER_SQL_ONLY, KEY_INSERT, atLeast(1)),
                        rate(COUNTERS, UPDATE, atLeast(1.8)),
                        rate(COUNTERS_LEDGER, UPDATE, atLeast(1.3)),
                        rate(COUNTERS_LEDGER, COUNTERS, atLeast(0.8)),
                        server(COUNTERS, atMost(1.15)),
                        server(COUNTERS_LEDGER, atMost(1.6)),
                        rate(COUNTERS, GROUPED_UPSERT, null),
                        rate(COUNTERS, REDIS_LUA_ALWAYS, null),
                        rate(COUNTERS, REDIS_LUA_EVERYSEC, null),
                        rate(FILTER, PENDING_ROW, null));
            case HOT_STORM, ROWS_STORM, ZIPF_STORM ->
                Stream.of(
                        rate(FILTER, KEY_INSERT, atLeast(5)),
                        rate(COUNTERS, KEY_INSERT, null),
                        rate(FILTER, PENDING_ROW, null));
            case HOT_RETRIES, ROWS_RETRIES, ZIPF, ZIPF_RETRIES ->
                Stream.of(rate(COUNTERS, UPDATE, null), rate(COUNTERS_LEDGER, UPDATE, null));
        };
    }

    /** What is wanted of {@code COUNTERS} over {@code UPDATE}: 10 where a sync takes 0.1 ms at most, 12 from 0.2 ms on. */
    static double ofHotRow(double syncMicros) {
        double share = (syncMicros - FAST_SYNC) / (SLOW_SYNC - FAST_SYNC);
        return 10 + 2 * Math.max(0, Math.min(1, share));
    }

    private Optional<Ratio> rate(GuardContender one, GuardContender other, @Nullable Bound wanted) {
        return ratio(one, other, "requests/s", Turn::perSecond, wanted);
    }

    private Optional<Ratio> p50(GuardContender one, GuardContender other, @Nullable Bound wanted) {
        return ratio(one, other, "p50", Turn::p50Micros, wanted);
    }

    /** The server's processor time for an increment. */
    private Optional<Ratio> server(GuardContender one, Bound wanted) {
        return ratio(one, GROUPED_UPSERT, "server's processor time", Turn::serverMicros, wanted);
    }

    private Optional<Ratio> ratio(
            GuardContender one,
            GuardContender other,
            String figure,
            ToDoubleFunction<Turn> value,
            @Nullable Bound wanted) {
        return tookPart(one) && tookPart(other)
                ? Optional.of(Ratio.of(one, other, figure, value, wanted, turns))
                : Optional.empty();
    }

    private boolean tookPart(GuardContender contender) {
        return turns.stream().anyMatch(turn -> turn.contender() == contender);
    }
}
