package dev.fbf.spring.autoconfigure;

import dev.fbf.core.filter.FilterStats;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.Counters;
import dev.fbf.db.OperationStore;
import dev.fbf.db.Recovery;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.ledger.LedgerStore;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.spring.jdbc.NodeStatus;
import dev.fbf.spring.jdbc.OpenScope;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
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
            public void openedScope(OpenScope scope) {
                bind(scope, registry);
                if (scope.witnessed() != null) {
                    bind(scope.name(), scope.witnessed().filter(), registry);
                    bindLostCommits(scope.witnessed(), registry);
                }
            }

            @Override
            public void openedCounters(String scope, Counters counters) {
                bind(scope, counters, registry);
            }

            @Override
            public void openedDatabase(String name, OperationStore store) {
                if (store instanceof LedgerStore ledger) {
                    bind(name, ledger, registry);
                } else if (store instanceof WitnessStore witness) {
                    bind(name, witness, registry);
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

    private void bind(OpenScope open, MeterRegistry registry) {
        String scope = open.name();
        Gauge.builder("fbf.claims", open, its -> its.claims().getAsInt())
                .description("Operations that are being applied or in doubt")
                .tag("scope", scope)
                .strongReference(true)
                .register(registry);
        FunctionCounter.builder("fbf.calls.keyless", node, all -> all.keylessCalls(scope))
                .description("Calls without a key that ran unguarded")
                .tag("scope", scope)
                .register(registry);
        TimeGauge.builder("fbf.retry.window", () -> open.retryWindow().toMillis(), TimeUnit.MILLISECONDS)
                .description("Time after an operation in which its retries may arrive")
                .tag("scope", scope)
                .strongReference(true)
                .register(registry);
    }

    private static void bind(String scope, ForgetfulBloomFilter filter, MeterRegistry registry) {
        RecentStats stats = new RecentStats(filter);
        TimeGauge.builder(
                        "fbf.filter.refresh.delay",
                        () -> stats.get().refreshDelay().toMillis(),
                        TimeUnit.MILLISECONDS)
                .description("Delay of the last refresh, or of the next one if that is longer")
                .tag("scope", scope)
                .strongReference(true)
                .register(registry);
        gauge("fbf.filter.fpp.target", FilterStats::targetFpp, stats, scope)
                .description("Stated share of new operations that are false positives")
                .register(registry);
        gauge("fbf.filter.fpp.estimated", FilterStats::estimatedFpp, stats, scope)
                .description("Current share of new operations that are false positives")
                .register(registry);
        gauge("fbf.filter.fill", FilterStats::fill, stats, scope)
                .description("Fraction of set positions in the fullest generation")
                .register(registry);
        gauge("fbf.filter.generations", now -> now.arenas().get(0).generations().size(), stats, scope)
                .description("Live generations of the newest arena")
                .register(registry);
        gauge("fbf.filter.arenas", now -> now.arenas().size(), stats, scope)
                .description("Arenas; several after the filter has grown or shrunk")
                .register(registry);
        gauge("fbf.filter.size", FilterStats::bytes, stats, scope)
                .description("Size of the arenas")
                .baseUnit("bytes")
                .register(registry);
    }

    private static void bindLostCommits(ScopeClaims scope, MeterRegistry registry) {
        Gauge.builder("fbf.lost.commits", scope, claims -> claims.lostCommits() == null ? 0 : 1)
                .description("1 after the database has lost commits, until an operator accepts the loss")
                .tag("scope", scope.scope())
                .strongReference(true)
                .register(registry);
    }

    private static Gauge.Builder<RecentStats> gauge(
            String name, ToDoubleFunction<FilterStats> figure, RecentStats stats, String scope) {
        return Gauge.builder(name, stats, recent -> figure.applyAsDouble(recent.get()))
                .tag("scope", scope)
                .strongReference(true);
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

    private static void bind(String database, WitnessStore witness, MeterRegistry registry) {
        Gauge.builder("fbf.transactions.in.doubt", witness, its -> its.inDoubt().size())
                .description("Transactions in doubt")
                .tag("database", database)
                .register(registry);
        Timer settle = Timer.builder("fbf.settle")
                .description("Time to determine the outcome of a COMMIT without a response")
                .tag("database", database)
                .register(registry);
        witness.onSettled(settle::record);
        bindRecovery("applied", Recovery::applied, database, witness, registry);
        bindRecovery("new", Recovery::notApplied, database, witness, registry);
        bindRecovery("unknown", Recovery::unknown, database, witness, registry);
        TimeGauge.builder(
                        "fbf.recovery.time",
                        witness,
                        TimeUnit.NANOSECONDS,
                        its -> its.recovery().took().toNanos())
                .description("Time to settle the transactions that the previous process left in doubt")
                .tag("database", database)
                .register(registry);
    }

    private static void bindRecovery(
            String outcome,
            ToIntFunction<Recovery> count,
            String database,
            WitnessStore witness,
            MeterRegistry registry) {
        FunctionCounter.builder("fbf.recovery.operations", witness, its -> count.applyAsInt(its.recovery()))
                .description("Operations that the previous process left in doubt")
                .tag("database", database)
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Statistics of a filter, reused for a second. Thread-safe. */
    private static final class RecentStats {

        private static final long RECENT = Duration.ofSeconds(1).toNanos();

        private final ForgetfulBloomFilter filter;

        /** The latest statistics; null before the first read, because startup does not wait for them. */
        private volatile @Nullable Look last;

        RecentStats(ForgetfulBloomFilter filter) {
            this.filter = filter;
        }

        FilterStats get() {
            Look recent = last;
            if (recent == null || System.nanoTime() - recent.at >= RECENT) {
                recent = new Look(filter.stats(), System.nanoTime());
                last = recent;
            }
            return recent.stats;
        }

        private record Look(FilterStats stats, long at) {}
    }
}
