package dev.fbf.loadtest.bench;

import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * One benchmark of one contender.
 *
 * @param benchmark check or put
 * @param contender who
 * @param threads how many at once
 * @param medianNanos the median over forks and iterations, of one call in one thread
 * @param bytesPerCall what a call allocates on the heap
 */
record Measurement(String benchmark, Contender contender, int threads, double medianNanos, double bytesPerCall) {

    static Measurement of(RunResult result, int threads) {
        Result<?> allocation = result.getSecondaryResults().get("gc.alloc.rate.norm");
        return new Measurement(
                result.getPrimaryResult().getLabel(),
                Contender.valueOf(result.getParams().getParam("contender")),
                threads,
                result.getPrimaryResult().getStatistics().getPercentile(50),
                allocation == null ? Double.NaN : allocation.getScore());
    }
}
