package dev.fbf.spring.autoconfigure;

import dev.fbf.db.Counters;
import dev.fbf.db.OperationStore;
import dev.fbf.db.ledger.LedgerStore;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Meters of each open scope and database. */
record GuardMeters(NodeStatus node) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        node.watch(new NodeStatus.Watcher() {
            @Override
            public void openedScope(NodeStatus.OpenScope scope) {
                bind(scope, registry);
            }

            @Override
            public void openedCounters(String scope, Counters counters) {
                bind(scope, counters, registry);
            }

            @Override
            public void openedDatabase(String name, OperationStore store) {
                if (store instanceof LedgerStore ledger) {
                    bind(name, ledger, registry);
                }
            }
        });
    }

    private static void bind(NodeStatus.OpenScope open, MeterRegistry registry) {
        Gauge.builder("fbf.claims", open, NodeStatus.OpenScope::claims)
                .description("Operations that are being applied or in doubt")
                .tag("scope", open.name())
                .register(registry);
    }

    private static void bind(String scope, Counters counters, MeterRegistry registry) {
        Gauge.builder("fbf.group.waiting", counters, Counters::waiting)
                .description("Increments that wait to be committed together")
                .tag("scope", scope)
                .register(registry);
        DistributionSummary size = DistributionSummary.builder("fbf.group.size")
                .description("Increments per group")
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
        counters.listen((count, waited, took) -> {
            size.record(count);
            wait.record(waited);
            commit.record(took);
        });
    }

    private static void bind(String database, LedgerStore ledger, MeterRegistry registry) {
        FunctionCounter.builder("fbf.responses.dropped", ledger, LedgerStore::droppedResponses)
                .description("Responses that were not kept for retries: the database was too slow, or rejected them")
                .tag("database", database)
                .register(registry);
    }
}
