package dev.fbf.spring.autoconfigure;

import dev.fbf.db.Counters;
import dev.fbf.db.OperationStore;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.ledger.LedgerStore;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.DisposableBean;

/**
 * Meters of each open scope and database. They are removed when the context is closed, because a registry can outlive the context (a child
 * of Micrometer's global registry does), and its meters would keep the filters mapped.
 */
final class GuardMeters implements MeterBinder, DisposableBean {

    private static final String PREFIX = "fbf.";

    private final NodeStatus node;

    /** The listeners of all registries: counters accept one listener, but an application can have several registries. */
    private final Map<Counters, List<GroupCommit.Listener>> groups = new ConcurrentHashMap<>();

    private final List<MeterRegistry> registries = new CopyOnWriteArrayList<>();

    GuardMeters(NodeStatus node) {
        this.node = node;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        registries.add(registry);
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

    @Override
    public void destroy() {
        for (MeterRegistry registry : registries) {
            registry.getMeters().stream()
                    .filter(meter -> meter.getId().getName().startsWith(PREFIX))
                    .forEach(registry::remove);
        }
    }

    private void bind(NodeStatus.OpenScope open, MeterRegistry registry) {
        String scope = open.name();
        Gauge.builder("fbf.claims", open, NodeStatus.OpenScope::claims)
                .description("Operations that are being applied or in doubt")
                .tag("scope", scope)
                .strongReference(true)
                .register(registry);
    }

    private void bind(String scope, Counters counters, MeterRegistry registry) {
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
        List<GroupCommit.Listener> all = groups.computeIfAbsent(counters, key -> new CopyOnWriteArrayList<>());
        all.add((count, waited, took) -> {
            size.record(count);
            wait.record(waited);
            commit.record(took);
        });
        counters.listen((count, waited, took) -> all.forEach(listener -> listener.ended(count, waited, took)));
    }

    private static void bind(String database, LedgerStore ledger, MeterRegistry registry) {
        FunctionCounter.builder("fbf.responses.dropped", ledger, LedgerStore::droppedResponses)
                .description("Responses that were not kept for retries: the database was too slow, or rejected them")
                .tag("database", database)
                .register(registry);
    }
}
