package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;

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
        counters.listen(new LaneListener() {
            private final DistributionSummary size = registry.summary("fbf.group.size", "scope", scope);
            private final Timer wait = registry.timer("fbf.group.wait", "scope", scope);
            private final Timer commit = registry.timer("fbf.group.commit", "scope", scope);
            private final Counter conflicts = registry.counter("fbf.lane.conflicts", "scope", scope);
            private final Counter unknown = registry.counter("fbf.lane.unknown", "scope", scope);
            private final Counter groupsRead = registry.counter("fbf.lane.groups.read", "scope", scope);

            @Override
            public void ended(int operations, Duration waited, Duration took) {
                size.record(operations);
                wait.record(waited);
                commit.record(took);
            }

            @Override
            public void conflicted() {
                conflicts.increment();
            }

            @Override
            public void outcomeUnknown() {
                unknown.increment();
            }

            @Override
            public void caughtUp(int groups) {
                groupsRead.increment(groups);
            }
        });
    }
}
