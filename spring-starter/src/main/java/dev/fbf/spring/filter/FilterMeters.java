package dev.fbf.spring.filter;

import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.db.OperationStore;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** Meters of each filter and of each database with a witness. */
record FilterMeters(NodeStatus node) implements MeterBinder {

    @Override
    public void bindTo(MeterRegistry registry) {
        node.watch(new NodeStatus.Watcher() {
            @Override
            public void openedScope(NodeStatus.OpenScope scope) {
                if (scope instanceof WitnessedScope its) {
                    bind(its.name(), its.witnessed().filter(), registry);
                    bindLostCommits(its, registry);
                }
            }

            @Override
            public void openedDatabase(String name, OperationStore store) {
                if (store instanceof WitnessStore witness) {
                    bind(name, witness, registry);
                }
            }
        });
    }

    private static void bind(String scope, ForgetfulBloomFilter filter, MeterRegistry registry) {
        gauge("fbf.filter.fpp.target", FilterStats::targetFpp, filter, scope)
                .description("Stated share of new operations that are false positives")
                .register(registry);
        gauge("fbf.filter.fpp.estimated", FilterStats::estimatedFpp, filter, scope)
                .description("Current share of new operations that are false positives")
                .register(registry);
        gauge("fbf.filter.size", FilterStats::bytes, filter, scope)
                .description("Size of the arenas")
                .baseUnit("bytes")
                .register(registry);
    }

    private static void bindLostCommits(WitnessedScope scope, MeterRegistry registry) {
        Gauge.builder("fbf.lost.commits", scope, its -> its.lostCommits() == null ? 0 : 1)
                .description("1 after the database has lost commits, until an operator accepts the loss")
                .tag("scope", scope.name())
                .register(registry);
    }

    private static Gauge.Builder<ForgetfulBloomFilter> gauge(
            String name, ToDoubleFunction<FilterStats> figure, ForgetfulBloomFilter filter, String scope) {
        return Gauge.builder(name, filter, its -> figure.applyAsDouble(its.stats()))
                .tag("scope", scope);
    }

    private static void bind(String database, WitnessStore witness, MeterRegistry registry) {
        Gauge.builder("fbf.transactions.in.doubt", witness, its -> its.inDoubt().size())
                .description("Transactions in doubt")
                .tag("database", database)
                .register(registry);
    }
}
