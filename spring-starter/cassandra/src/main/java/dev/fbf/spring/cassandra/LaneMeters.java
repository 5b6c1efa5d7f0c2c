package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.LaneCounters;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Meters of each scope's lanes, registered when the scope is opened. */
record LaneMeters(LaneGuards guards) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        guards.watch((scope, counters) -> bind(scope, counters, registry));
    }

    private static void bind(String scope, LaneCounters counters, MeterRegistry registry) {
        Gauge.builder("fbf.claims", counters, LaneCounters::held)
                .description("Operations that are being applied or in doubt")
                .tag("scope", scope)
                .register(registry);
        Gauge.builder("fbf.group.waiting", counters, LaneCounters::waiting)
                .description("Increments that wait to be committed together")
                .tag("scope", scope)
                .register(registry);
        Gauge.builder(
                        "fbf.filter.fpp.estimated",
                        counters,
                        known -> known.filter().stats().estimatedFpp())
                .description("Current share of new operations that are false positives")
                .tag("scope", scope)
                .register(registry);
        DistributionSummary size = DistributionSummary.builder("fbf.group.size")
                .description("Increments that were committed together")
                .tag("scope", scope)
                .register(registry);
        Timer wait = Timer.builder("fbf.group.wait")
                .description("Time in which the first increment of a group was queued")
                .tag("scope", scope)
                .register(registry);
        Timer commit = Timer.builder("fbf.group.commit")
                .description("Time to commit a group, or until its failure")
                .tag("scope", scope)
                .register(registry);
        counters.listen((operations, waited, took) -> {
            size.record(operations);
            wait.record(waited);
            commit.record(took);
        });
    }
}
