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
final class LaneMeters implements MeterBinder {

    private final LaneGuards guards;

    LaneMeters(LaneGuards guards) {
        this.guards = guards;
    }

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
        counters.listen(new Meters(scope, registry));
    }

    private static final class Meters implements LaneListener {

        private final DistributionSummary size;
        private final Timer wait;
        private final Timer commit;
        private final Counter conflicts;
        private final Counter unknown;
        private final Counter groupsRead;

        Meters(String scope, MeterRegistry registry) {
            size = DistributionSummary.builder("fbf.group.size")
                    .description("Increments that were committed together")
                    .tag("scope", scope)
                    .register(registry);
            wait = Timer.builder("fbf.group.wait")
                    .description("Time in which the first increment of a group was queued")
                    .tag("scope", scope)
                    .register(registry);
            commit = Timer.builder("fbf.group.commit")
                    .description("Time to commit a group, or until its failure")
                    .tag("scope", scope)
                    .register(registry);
            conflicts = Counter.builder("fbf.lane.conflicts")
                    .description("Groups that were sent again because another node had committed one")
                    .tag("scope", scope)
                    .register(registry);
            unknown = Counter.builder("fbf.lane.unknown")
                    .description("Groups that were sent again because their outcome was unknown")
                    .tag("scope", scope)
                    .register(registry);
            groupsRead = Counter.builder("fbf.lane.groups.read")
                    .description("Groups of other nodes that were read")
                    .tag("scope", scope)
                    .register(registry);
        }

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
    }
}
